-- Which database this is, and how often the slots that it serves have changed.
CREATE TABLE self (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    name text NOT NULL,
    version bigint NOT NULL
);
INSERT INTO self (name, version) VALUES ('main', 1);

-- All databases of the frontier; only the first one has the list.
CREATE TABLE shard (name text PRIMARY KEY, address text NOT NULL);

-- Where the slots are, as far as this database knows. What it says of its own slots is the truth.
-- State 0: elsewhere; 1: served here; 2: frozen, on its way; 3: gone, its rows are not removed yet;
-- 4: coming, its rows are not all here. Rows of slots in states 2 to 4 are nobody's business but the mover's.
CREATE TABLE slot_map (
    slot smallint PRIMARY KEY,
    shard text NOT NULL,
    version bigint NOT NULL,
    state smallint NOT NULL
);
INSERT INTO slot_map SELECT slot, 'main', 1, 1 FROM generate_series(0, 4095) AS slot;

-- A registrable domain. It may be leased from ready_at on; 'infinity' when nothing waits, or when it stands in line
-- for its network address (gated). Rows change with every lease: half of each page is left free for that.
CREATE TABLE domain (
    did bigint PRIMARY KEY,
    ready_at timestamptz NOT NULL,
    next_at timestamptz NOT NULL,
    lease_until timestamptz,
    epoch bigint NOT NULL DEFAULT 0,
    urls bigint NOT NULL DEFAULT 0,
    delay_ms integer NOT NULL,
    gated boolean NOT NULL DEFAULT false,
    owner uuid,
    address inet,
    name text NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX domain_ready ON domain (ready_at);
CREATE INDEX domain_held ON domain (lease_until) WHERE owner IS NOT NULL;
CREATE INDEX domain_gated ON domain (address, next_at) WHERE gated;

-- A network address, and until when a domain uses it. It is looked at where several domains share it.
CREATE TABLE ip_gate (
    address inet PRIMARY KEY,
    domains integer NOT NULL,
    holder bigint,
    next_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);

-- A URL: fp and lo are the two halves of its id. What waits is in a small index of its own, which a URL enters when it
-- is found and leaves when it is done.
CREATE TABLE url (
    did bigint NOT NULL,
    fp bigint NOT NULL,
    lo bigint NOT NULL,
    rank bigint NOT NULL,
    dinit timestamptz NOT NULL,
    dlast timestamptz,
    again_at timestamptz,
    inlinks integer NOT NULL,
    outlinks integer NOT NULL DEFAULT 0,
    depth integer NOT NULL,
    state integer NOT NULL,
    tries smallint NOT NULL DEFAULT 0,
    waits boolean NOT NULL DEFAULT true,
    via uuid,
    bot1 uuid,
    bot2 uuid,
    url text NOT NULL,
    language text,
    etag text,
    last_modified text,
    digest text,
    PRIMARY KEY (did, fp)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX url_todo ON url (did, rank) WHERE waits;
CREATE INDEX url_later ON url (again_at) WHERE again_at IS NOT NULL;

-- What is being done with pages that were fetched. Rows come and go; there are never many.
CREATE TABLE work (
    did bigint NOT NULL,
    fp bigint NOT NULL,
    since timestamptz NOT NULL,
    tries integer NOT NULL DEFAULT 0,
    stage smallint NOT NULL,
    PRIMARY KEY (did, fp)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE blob (
    key text PRIMARY KEY,
    sha256 bytea NOT NULL,
    bytes bigint NOT NULL,
    records bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);

-- The bots; only the first database has them.
CREATE TABLE bot (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    door text NOT NULL,
    dinit timestamptz NOT NULL DEFAULT now(),
    dlast timestamptz NOT NULL DEFAULT now(),
    requests bigint NOT NULL,
    reported bigint NOT NULL,
    expired integer NOT NULL DEFAULT 0,
    kissed text
) WITH (fillfactor = 50);

-- Every transaction that writes begins here: it is refused when the writer does not know the present map of slots, and
-- the map stays as it is until the transaction ends.
CREATE FUNCTION enter(known bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE present bigint;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(7310579001);
    SELECT version INTO present FROM self;
    IF present <> known THEN
        RAISE EXCEPTION 'the map of slots has version %, not %', present, known USING ERRCODE = 'LY001';
    END IF;
END $$;

-- While a slot is copied elsewhere, triggers note which of its rows changed since.
CREATE TABLE delta (kind text NOT NULL, did bigint NOT NULL, fp bigint NOT NULL);
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changed record;
BEGIN
    IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
    IF (changed.did >> 52) & 4095 = TG_ARGV[0]::bigint THEN
        IF TG_TABLE_NAME = 'domain' THEN
            INSERT INTO delta VALUES ('domain', changed.did, 0);
        ELSE
            INSERT INTO delta VALUES (TG_TABLE_NAME, changed.did, changed.fp);
        END IF;
    END IF;
    RETURN NULL;
END $$;
