-- One row per key. Times are nanoseconds since 1970 by this server's clock_timestamp().
CREATE TABLE IF NOT EXISTS pacer_cursor (
  key        text COLLATE "C" PRIMARY KEY, -- COLLATE "C": one lock order for everybody
  cursor     bigint  NOT NULL,             -- when the next slot begins; not a SQL cursor
  granted    bigint  NOT NULL,             -- permits granted by the last reservation, 0 if it was refused, -1 if there was none yet
  read_at    bigint  NOT NULL,             -- the clock, as the last statement read it
  seq        bigint  NOT NULL,             -- goes up whenever the cursor moves
  clamped    boolean NOT NULL,             -- whether the last reservation found the cursor corrupt
  shut_until bigint  NOT NULL,             -- the gate: nothing may be sent before
  strikes    int     NOT NULL,             -- cooldowns in a row without a success between them
  generation bigint  NOT NULL,             -- goes up with each new cooldown
  widening   int     NOT NULL              -- the interval is the pace's own times 2 ^ widening
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- One row per process that is alive: how many there are is how a pace is divided while this database is away.
CREATE TABLE IF NOT EXISTS pacer_cursor_process (
  id      text   PRIMARY KEY,
  seen_at bigint NOT NULL -- the clock, as of its last heartbeat
);
