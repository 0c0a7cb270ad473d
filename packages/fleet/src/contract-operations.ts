/** The fleet's operations and raw SQL beside them, loaded into the store's thread of a test. */
import { isMingaError } from '@minga/protocol'
import type { Row, Sql } from '@minga/store'
import { receiveDevice } from './devices/device-sessions.ts'
import { eraseDevice, markRevoked, pauseDevice } from './devices/own-devices.ts'
import { noteResults } from './devices/request-details.ts'
import { post, type Posting } from './ledger/posting.ts'
import { fleetOperations } from './operations.ts'

export const operations = {
  ...fleetOperations,
  query: (sql: Sql, args: { text: string; params: Row }) => sql.all(args.text, args.params),
  change: (sql: Sql, args: { text: string; params: Row }) => sql.run(args.text, args.params),
  eraseDevice,
  markRevoked,
  noteResults,
  pauseDevice,
  receiveDevice,
  post,
  /** As a caller that goes on after a refusal: what it does next is committed. */
  postAll: async (sql: Sql, args: { postings: Posting[] }) => {
    const outcomes: string[] = []
    for (const posting of args.postings) {
      try {
        outcomes.push((await post(sql, posting)).outcome)
      } catch (error) {
        if (!isMingaError(error)) throw error
        outcomes.push(error.code)
      }
    }
    return outcomes
  },
}
