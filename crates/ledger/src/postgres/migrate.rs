//! Which layout does a database have, and how does it get the one that we know?

use super::connect::Database;
use crate::LedgerError;

/// All layouts, oldest first. One that was released is never changed; what is new is a further one.
const LAYOUTS: [&str; 1] = [include_str!("layout-1.sql")];

/// Who makes a layout holds this lock, so that of many programs that start at once one does it.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7310579000)";

/// The last layout that this program knows.
pub(super) fn newest() -> u32 {
    LAYOUTS.len() as u32
}

/// Brings a database to the newest layout. Several may try at once.
pub(super) async fn migrate(database: &Database) -> Result<(), LedgerError> {
    let mut connection = database.connection().await?;
    let tx = connection.transaction().await?;
    tx.batch_execute(LOCK).await?;
    let present = present(tx.client()).await?;
    if present > newest() {
        return Err(LedgerError::Newer { found: present, known: newest() });
    }
    for (number, layout) in (1_u32..).zip(LAYOUTS).filter(|(number, _)| *number > present) {
        tracing::info!(layout = number, "making a new layout of the frontier");
        tx.batch_execute(layout).await?;
        let noted = "INSERT INTO migrations (version) VALUES ($1)";
        tx.execute(noted, &[&i64::from(number)]).await?;
    }
    tx.commit().await?;
    Ok(())
}

async fn present(client: &tokio_postgres::Client) -> Result<u32, LedgerError> {
    let table = "CREATE TABLE IF NOT EXISTS migrations \
                 (version bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())";
    client.batch_execute(table).await?;
    let last = client.query_one("SELECT coalesce(max(version), 0) FROM migrations", &[]).await?;
    let last: i64 = last.try_get(0)?;
    u32::try_from(last).map_err(|error| LedgerError::corrupt("layout number", error))
}
