/**
 * Who may be written to: alerts by e-mail go to mailboxes that agreed (mail_consents), after a link in a message
 * (mail_confirmations), and never to those that refused (mail_suppressions). Addresses are in lower case.
 */
export const mailboxes = {
  version: 53,
  name: 'mailboxes',
  statements: [
    `CREATE TABLE mail_consents (
      address TEXT NOT NULL,
      account TEXT NOT NULL,
      confirmed_at {{int}} NOT NULL,
      PRIMARY KEY (address, account)
    )`,
    `CREATE TABLE mail_suppressions (
      address TEXT PRIMARY KEY,
      suppressed_at {{int}} NOT NULL
    )`,
    // try_at NULL: nothing more is to be sent. token_hash is of the link in the message; used_at: it was followed.
    `CREATE TABLE mail_confirmations (
      id {{id}},
      address TEXT NOT NULL,
      account TEXT NOT NULL,
      language TEXT NOT NULL,
      created_at {{int}} NOT NULL,
      try_at {{int}},
      tries {{int}} NOT NULL DEFAULT 0,
      sent_at {{int}},
      token_hash TEXT,
      expires_at {{int}},
      used_at {{int}}
    )`,
    `CREATE INDEX mail_confirmations_due ON mail_confirmations (try_at) WHERE try_at IS NOT NULL`,
    `CREATE INDEX mail_confirmations_to ON mail_confirmations (address, sent_at)`,
    `CREATE INDEX mail_confirmations_by ON mail_confirmations (account, sent_at)`,
    `CREATE UNIQUE INDEX mail_confirmations_link ON mail_confirmations (token_hash)
       WHERE token_hash IS NOT NULL`,
    `CREATE INDEX alert_rules_to ON alert_rules (LOWER(target)) WHERE channel = 'email'`,
    // Addresses that stopped alerts before get none of any account; all others are asked once.
    `INSERT INTO mail_suppressions (address, suppressed_at)
       SELECT LOWER(target), MAX(unsubscribed_at) FROM alert_rules
       WHERE channel = 'email' AND unsubscribed_at IS NOT NULL GROUP BY LOWER(target)`,
    `INSERT INTO mail_confirmations (address, account, language, created_at, try_at)
       SELECT LOWER(target), account, '', MIN(created_at), 0 FROM alert_rules
       WHERE channel = 'email' AND is_active = 1
         AND LOWER(target) NOT IN (SELECT address FROM mail_suppressions)
       GROUP BY LOWER(target), account`,
  ],
}
