/** When the password was last shown in a session. NULL: when the session was opened. */
export const sessionConfirmed = {
  version: 51,
  name: 'session-confirmed',
  statements: [`ALTER TABLE account_sessions ADD COLUMN confirmed_at {{int}}`],
}
