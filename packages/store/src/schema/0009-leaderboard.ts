/** Volunteers are named on the leaderboard only if they say how. */
export const leaderboard = {
  version: 9,
  name: 'leaderboard',
  statements: [`ALTER TABLE accounts ADD COLUMN board_name TEXT`],
}
