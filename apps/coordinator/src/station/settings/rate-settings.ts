/** Settings of how many requests a minute callers may send. Callers on the station's own machine may send a hundred times more. */
import { wholeOrNone } from './setting-kinds.ts'

const COUNT_MAX = 1_000_000_000
const NEXT_MINUTE = 'from the next minute on'

export const RATE_SETTINGS = {
  addressRequestsMax: wholeOrNone({
    // A class that opens the page together: thirty times its forty files.
    default: 1_200,
    unit: 'requests',
    min: 1,
    max: COUNT_MAX,
    about: 'Requests a minute from one address without a key or session that the station knows.',
    holds: NEXT_MINUTE,
  }),
  accountRequestsMax: wholeOrNone({
    default: 12_000,
    unit: 'requests',
    min: 1,
    max: COUNT_MAX,
    about: 'Requests a minute of one account, or of one device, with all its keys and sessions.',
    holds: NEXT_MINUTE,
  }),
  keyRequestsMax: wholeOrNone({
    default: 6_000,
    unit: 'requests',
    min: 1,
    max: COUNT_MAX,
    about: 'Requests a minute with one API key or session.',
    holds: NEXT_MINUTE,
  }),
  routeRequestsMax: wholeOrNone({
    // More than anyone types, and what a program waits for takes longer.
    default: 120,
    unit: 'requests',
    min: 1,
    max: COUNT_MAX,
    about:
      'Requests a minute of one account to one costly address: SQL, queries, previews, questions about wikis and downloads of collections.',
    holds: NEXT_MINUTE,
  }),
}
