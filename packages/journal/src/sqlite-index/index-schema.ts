import type { DatabaseSync } from "node:sqlite";

/** Raise it with every change of the tables. */
const tableVersion = 2;
const maxContentVersion = 1000;

/**
 * A row is in as many orders as queries need, so that a page never reads rows that it does not return. Triggers count the
 * rows by agent and state, so that a count need not read them either. `revision` grows with every change of any row: a
 * watch reads the rows above the one that it has seen.
 */
const indexSchema = `
  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL UNIQUE,
    epoch INTEGER NOT NULL,
    last INTEGER NOT NULL,
    owner TEXT NOT NULL,
    state TEXT NOT NULL,
    unfinished INTEGER NOT NULL,
    name TEXT,
    agent TEXT NOT NULL,
    workspace TEXT NOT NULL,
    continues TEXT,
    agentSessionId TEXT,
    startedAt TEXT NOT NULL,
    lastAt TEXT NOT NULL,
    revision INTEGER NOT NULL UNIQUE,
    content TEXT NOT NULL
  ) STRICT;
  CREATE INDEX by_activity ON sessions (lastAt, session);
  CREATE INDEX by_state ON sessions (state, lastAt, session);
  CREATE INDEX by_agent ON sessions (agent, lastAt, session);
  CREATE INDEX by_workspace ON sessions (workspace, lastAt, session);
  CREATE INDEX by_name ON sessions (name, lastAt, session) WHERE name IS NOT NULL;
  CREATE INDEX by_continued ON sessions (continues, lastAt, session) WHERE continues IS NOT NULL;
  CREATE INDEX by_conversation ON sessions (agentSessionId, lastAt, session) WHERE agentSessionId IS NOT NULL;
  CREATE INDEX by_unfinished ON sessions (lastAt, session) WHERE unfinished = 1;
  CREATE TABLE names (name TEXT PRIMARY KEY, session TEXT NOT NULL, owner TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE counts (
    agent TEXT NOT NULL, state TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (agent, state)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER count_insert AFTER INSERT ON sessions BEGIN
    INSERT INTO counts VALUES (new.agent, new.state, 1) ON CONFLICT DO UPDATE SET count = count + 1;
  END;
  CREATE TRIGGER count_delete AFTER DELETE ON sessions BEGIN
    UPDATE counts SET count = count - 1 WHERE agent = old.agent AND state = old.state;
  END;
  CREATE TRIGGER count_update AFTER UPDATE OF agent, state ON sessions
  WHEN new.agent <> old.agent OR new.state <> old.state BEGIN
    UPDATE counts SET count = count - 1 WHERE agent = old.agent AND state = old.state;
    INSERT INTO counts VALUES (new.agent, new.state, 1) ON CONFLICT DO UPDATE SET count = count + 1;
  END;
  CREATE TABLE status (revision INTEGER NOT NULL, removals INTEGER NOT NULL, position TEXT) STRICT;
  INSERT INTO status VALUES (0, 0, NULL);
`;

/**
 * Creates the tables. Drops those of another version first, of the tables or of the rows' content: the index is a cache,
 * so no other version needs to be read.
 */
export function prepareIndexSchema(database: DatabaseSync, contentVersion: number): void {
  const version = tableVersion * maxContentVersion + contentVersion;
  if (readVersion(database) === version) return;
  // Two processes may open a new file at the same time: the second must see the tables of the first.
  database.exec("BEGIN IMMEDIATE");
  try {
    if (readVersion(database) !== version) {
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      for (const { name } of tables) database.exec(`DROP TABLE "${String(name)}"`);
      database.exec(`${indexSchema}; PRAGMA user_version = ${version}`);
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function readVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
}
