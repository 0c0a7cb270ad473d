/**
 * What people did that others may have to account for, in the order in which it was done. Each row's hash covers the row
 * before it, so that nothing can be changed, removed or put in between without breaking the chain. Separate from
 * event_log, which forgets. The triggers stop mistakes and statements of our own; the chain shows what is done past them.
 */
const REFUSAL = 'The audit log is append-only.'

export const auditLog = {
  version: 59,
  name: 'audit-log',
  statements: [
    // actor: an account; null: the station itself, or a command on its machine. details: JSON, never a secret.
    `CREATE TABLE audit_log (
      seq {{int}} PRIMARY KEY,
      at {{int}} NOT NULL,
      actor TEXT,
      act TEXT NOT NULL,
      subject TEXT NOT NULL,
      details TEXT NOT NULL,
      hash TEXT NOT NULL
    )`,
  ],
  only: {
    sqlite: ['UPDATE', 'DELETE'].map(
      (verb) => `CREATE TRIGGER audit_log_no_${verb.toLowerCase()} BEFORE ${verb} ON audit_log
        BEGIN SELECT RAISE(ABORT, '${REFUSAL}'); END`,
    ),
    postgres: [
      `CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION '${REFUSAL}' USING ERRCODE = 'integrity_constraint_violation'; END $$`,
      `CREATE TRIGGER audit_log_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()`,
    ],
  },
}
