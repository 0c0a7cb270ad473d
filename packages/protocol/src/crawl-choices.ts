/** What a crawl lets one choose from. Apart from the rest: the command line names them and checks nothing with zod. */

export const SCOPES = ['page', 'prefix', 'host', 'domain', 'any'] as const

/** How the delay is chosen for a host that copes; see politeness.ts of the frontier. */
export const POLITENESS = ['constant', 'density', 'tenfold', 'adaptive'] as const

/** Of one collection. A union of seeds ends here as well: who reads a request with more refuses it as a whole. */
export const SEEDS_MAX = 100_000
