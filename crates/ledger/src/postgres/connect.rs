//! How is a database reached?

use super::Trouble;
use crate::LedgerError;
use crate::error::all_of;
use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
    Transaction,
};
use std::str::FromStr;
use std::time::Duration;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use tokio_postgres::{Config, NoTls};

/// Connections of one process to one database.
const MAX_CONNECTIONS: usize = 8;

/// How long a connection may take to be made.
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// How long somebody waits for a connection that others use.
const WAIT_TIME: Duration = Duration::from_secs(60);

/// All statements here look up rows by an index. The planner would at times read a whole table that it thinks is
/// small, and keep to that plan while the table grows.
const SETTINGS: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
     SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; SET timezone = 'UTC'";

/// One database.
#[derive(Clone)]
pub(super) struct Database {
    pool: Pool,
    place: String,
}

impl Database {
    /// The database at this address. Nothing is sent yet.
    pub(super) fn at(address: &str) -> Result<Database, LedgerError> {
        let bad = |reason: String| LedgerError::Address { reason };
        let mut config = Config::from_str(address).map_err(|error| bad(all_of(&error)))?;
        if config.get_application_name().is_none() {
            config.application_name("lycosa");
        }
        config.connect_timeout(CONNECT_TIME);
        let place = describe(&config);
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(config, NoTls, recycling);
        let settings = Hook::async_fn(|client, _| {
            Box::pin(async move {
                client.batch_execute(SETTINGS).await.map_err(HookError::Backend)?;
                Ok(())
            })
        });
        let pool = Pool::builder(manager)
            .max_size(MAX_CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .create_timeout(Some(CONNECT_TIME))
            .wait_timeout(Some(WAIT_TIME))
            .post_create(settings)
            .build()
            .map_err(|error| bad(error.to_string()))?;
        Ok(Database { pool, place })
    }

    /// A connection, for as long as it is kept.
    pub(super) async fn connection(&self) -> Result<Object, LedgerError> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) if error.as_db_error().is_some() => LedgerError::from(error),
            error => LedgerError::Connect { place: self.place.clone(), reason: all_of(&error) },
        })
    }
}

/// Host and name of a database: what may be shown to anybody.
fn describe(config: &Config) -> String {
    let host = config.get_hosts().first().map_or("?".to_owned(), |host| match host {
        tokio_postgres::config::Host::Tcp(name) => name.clone(),
        tokio_postgres::config::Host::Unix(path) => path.display().to_string(),
    });
    match config.get_dbname() {
        Some(name) => format!("{name} at {host}"),
        None => format!("at {host}"),
    }
}

/// A digest of 128 bits, as the database writes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Id(pub(super) [u8; 16]);

impl ToSql for Id {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::UUID
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Id {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Id, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Id(raw.try_into()?))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::UUID
    }
}

/// Sends a statement that was prepared before on this connection, or is now.
pub(super) async fn rows(
    tx: &Transaction<'_>,
    statement: &str,
    values: &[&(dyn ToSql + Sync)],
) -> Result<Vec<tokio_postgres::Row>, Trouble> {
    let statement = tx.prepare_cached(statement).await?;
    Ok(tx.query(&statement, values).await?)
}

/// Milliseconds, as far as an integer of the database goes.
pub(super) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX).min(MAX_MILLIS)
}

/// About three centuries, which dates of the database can still be moved by.
const MAX_MILLIS: i64 = 10_000_000_000_000;
