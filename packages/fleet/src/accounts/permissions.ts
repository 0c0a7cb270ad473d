/**
 * Who may do what: the one table. A line is an action and the roles that may do it, on everything
 * (`all`) or on what is theirs (`own`); who is not named may not. An account may have several
 * roles and has the widest right of them. An API key narrows its account's rights to its scopes,
 * which are actions of this table.
 *
 *   operator   runs the station (spec 3: administrator)
 *   owner      answers for policies, risk and money (spec 3: director)
 *   collector  decides what is gathered (spec 3: subscriber)
 *   reader     finds and reads what was gathered (spec 3: end user)
 *   client     a program that sends requests
 *   volunteer  lends devices
 */

export const ROLES = ['operator', 'owner', 'collector', 'reader', 'client', 'volunteer'] as const
export type Role = (typeof ROLES)[number]

export type Reach = 'all' | 'own'

interface Rule {
  /** As the beginning of a sentence: “… needs a login”. */
  readonly what: string
  readonly all: readonly Role[]
  readonly own?: readonly Role[]
}

export const PERMISSIONS = {
  'collections:read': {
    what: 'Reading collections',
    all: ['operator', 'owner', 'collector', 'reader'],
  },
  'collections:write': {
    what: 'Starting and changing collections',
    all: ['operator'],
    own: ['collector'],
  },
  'captures:read': {
    what: 'Reading captures',
    all: ['operator', 'owner', 'collector', 'reader'],
  },
  'watches:read': {
    what: 'Reading watches',
    all: ['operator', 'owner', 'collector', 'reader'],
  },
  'watches:write': {
    what: 'Making and changing watches',
    all: ['operator'],
    own: ['collector'],
  },
  'archive:index': { what: "Writing the archive's index", all: ['operator', 'collector'] },
  // It names a file of the station's machine.
  'archive:import': { what: 'Importing a file', all: ['operator'] },
  // What is taken down cannot be brought back.
  'archive:takedown': { what: 'Taking down captures', all: ['operator'] },
  'policies:write': { what: 'Changing revisit policies', all: ['operator', 'owner'] },

  'requests:send': { what: 'Sending requests', all: ['operator'], own: ['collector', 'client'] },
  'requests:read': {
    what: 'Reading results of requests',
    all: ['operator'],
    own: ['collector', 'client'],
  },

  'load-tests:read': {
    what: 'Reading load tests',
    all: ['operator'],
    own: ['collector', 'client'],
  },
  'load-tests:write': {
    what: 'Load-testing a site of yours',
    all: ['operator'],
    own: ['collector', 'client'],
  },
  'neutrality:read': {
    what: 'Reading what monitors found',
    all: ['operator'],
    own: ['collector', 'client'],
  },
  'neutrality:write': {
    what: 'Monitoring sites from several places',
    all: ['operator'],
    own: ['collector', 'client'],
  },

  // Own: the user's tables, and those of the station that contain nothing about people.
  'tables:read': {
    what: 'Reading tables',
    all: ['operator'],
    own: ['owner', 'collector', 'reader', 'client'],
  },
  'tables:write': {
    what: 'Making and changing tables',
    all: ['operator'],
    own: ['collector', 'client'],
  },
  'queries:read': {
    what: 'Seeing queries',
    all: ['operator'],
    own: ['owner', 'collector', 'reader', 'client'],
  },
  'queries:run': {
    what: 'Asking queries',
    all: ['operator'],
    own: ['owner', 'collector', 'reader', 'client'],
  },
  // A worker reads and writes files of everyone's queries.
  'workers:run': { what: 'Working on queries', all: ['operator'] },

  'devices:read': { what: 'Seeing devices', all: ['operator'], own: ['volunteer'] },
  'devices:write': { what: 'Changing devices', all: ['operator'], own: ['volunteer'] },
  'devices:judge': { what: 'Blocking and releasing devices', all: ['operator'] },
  'join-tokens:read': { what: 'Seeing join tokens', all: ['operator'], own: ['volunteer'] },
  'join-tokens:write': { what: 'Inviting devices', all: ['operator'], own: ['volunteer'] },

  'ledger:read': {
    what: 'Reading statements',
    all: ['operator', 'owner'],
    own: ['collector', 'client', 'volunteer'],
  },
  'budgets:write': { what: 'Changing budgets and quotas', all: ['operator', 'owner'] },

  'abuse:read': { what: 'Seeing flags and lists of hosts', all: ['operator', 'owner'] },
  'abuse:write': { what: 'Deciding about flags and hosts', all: ['operator'] },

  // It tells what everyone did.
  'events:read': { what: 'Reading the log of events', all: ['operator', 'owner'] },
  'settings:read': { what: 'Reading settings', all: ['operator', 'owner'] },
  'settings:write': { what: 'Changing settings', all: ['operator'] },
  'federation:read': { what: 'Seeing the federation', all: ['operator', 'owner'] },
  'federation:write': { what: 'Changing the federation', all: ['operator'] },
  'accounts:read': { what: 'Seeing accounts', all: ['operator', 'owner'] },
  // These two give their holder every right in a roundabout way: no scope for a program.
  'accounts:write': { what: 'Making accounts and giving roles', all: ['operator'] },
  'resets:make': { what: 'Making a reset link', all: ['operator'] },
  'keys:read': {
    what: 'Seeing API keys',
    all: ['operator'],
    own: ['owner', 'collector', 'reader', 'client', 'volunteer'],
  },
  'keys:write': {
    what: 'Making and revoking API keys',
    all: ['operator'],
    own: ['owner', 'collector', 'reader', 'client', 'volunteer'],
  },
} as const satisfies Record<string, Rule>

export type Action = keyof typeof PERMISSIONS
export const ACTIONS = Object.keys(PERMISSIONS) as Action[]

/** What anyone on the same machine may do without saying who they are. */
export const OPEN_ON_LOOPBACK: ReadonlySet<Action> = new Set([
  'collections:read',
  'captures:read',
  'watches:read',
])

/** What those get who register themselves; an operator gives more. */
export const SELF_ROLES: readonly Role[] = ['reader', 'volunteer']

/** How far the roles reach; null when they do not allow the action. */
export function reachOf(roles: readonly Role[], action: Action): Reach | null {
  const rule: Rule = PERMISSIONS[action]
  if (roles.some((role) => rule.all.includes(role))) return 'all'
  return roles.some((role) => rule.own?.includes(role)) ? 'own' : null
}

export function actionsOf(roles: readonly Role[]): Action[] {
  return ACTIONS.filter((action) => reachOf(roles, action) !== null)
}

export function isAction(text: string): text is Action {
  return Object.hasOwn(PERMISSIONS, text)
}

export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}
