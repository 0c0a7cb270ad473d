/** Which screens there are, and which of them a visitor is shown. */

export type NavigationTarget =
  | '/'
  | '/abuse'
  | '/account'
  | '/alerts'
  | '/accounts'
  | '/archive'
  | '/captures'
  | '/collections'
  | '/versions'
  | '/config'
  | '/devices'
  | '/events'
  | '/growth'
  | '/join'
  | '/keys'
  | '/leaderboard'
  | '/load-tests'
  | '/money'
  | '/neutrality'
  | '/new'
  | '/placement'
  | '/queries'
  | '/requests'
  | '/sql'
  | '/tables'
  | '/tasks'
  | '/workers'
  | '/watch-budget'
  | '/watch-groups'
  | '/watches'
  | '/wikis'

export interface Screen {
  to: NavigationTarget
  /** Shown to those who may do this; to everybody when there is none. */
  needs?: string
  /** Also shown to visitors whom the station does not know: on its own machine they may read. */
  isOpen?: true
}

export interface Area {
  name:
    | 'overview'
    | 'collections'
    | 'archive'
    | 'watches'
    | 'wikis'
    | 'queries'
    | 'requests'
    | 'volunteers'
    | 'station'
    | 'account'
  screens: readonly Screen[]
}

const AREAS: readonly Area[] = [
  { name: 'overview', screens: [{ to: '/', isOpen: true }] },
  {
    name: 'collections',
    screens: [
      { to: '/collections', needs: 'collections:read', isOpen: true },
      { to: '/new', needs: 'collections:write', isOpen: true },
    ],
  },
  {
    name: 'archive',
    screens: [
      { to: '/archive', needs: 'captures:read', isOpen: true },
      { to: '/captures', needs: 'captures:read', isOpen: true },
      { to: '/versions', needs: 'captures:read', isOpen: true },
    ],
  },
  {
    name: 'watches',
    screens: [
      { to: '/watches', needs: 'watches:read', isOpen: true },
      { to: '/alerts', needs: 'watches:write' },
      { to: '/watch-groups', needs: 'watches:read', isOpen: true },
      { to: '/watch-budget', needs: 'watches:read', isOpen: true },
      { to: '/growth', needs: 'watches:read', isOpen: true },
    ],
  },
  {
    name: 'queries',
    screens: [
      { to: '/queries', needs: 'queries:read' },
      { to: '/sql', needs: 'tables:read' },
      { to: '/tables', needs: 'tables:read' },
      { to: '/tasks', needs: 'queries:read' },
      { to: '/workers', needs: 'workers:run' },
    ],
  },
  { name: 'wikis', screens: [{ to: '/wikis', needs: 'captures:read', isOpen: true }] },
  {
    name: 'requests',
    screens: [
      { to: '/requests', needs: 'requests:read' },
      { to: '/load-tests', needs: 'load-tests:read' },
      { to: '/neutrality', needs: 'neutrality:read' },
    ],
  },
  {
    name: 'volunteers',
    screens: [
      { to: '/devices', needs: 'devices:read' },
      { to: '/join', needs: 'join-tokens:write', isOpen: true },
      { to: '/leaderboard', needs: 'captures:read', isOpen: true },
      { to: '/placement', needs: 'settings:read' },
    ],
  },
  {
    name: 'station',
    screens: [
      { to: '/events', needs: 'events:read' },
      { to: '/accounts', needs: 'accounts:read' },
      { to: '/config', needs: 'settings:read' },
      { to: '/abuse', needs: 'abuse:read' },
    ],
  },
  {
    name: 'account',
    screens: [
      { to: '/account' },
      { to: '/keys', needs: 'keys:read' },
      { to: '/money', needs: 'ledger:read' },
    ],
  },
]

/** The areas shown to a user with these rights; null: not logged in. */
export function areasFor(actions: readonly string[] | null): Area[] {
  const isShown = ({ needs, isOpen }: Screen): boolean =>
    actions === null ? isOpen === true : needs === undefined || actions.includes(needs)
  return AREAS.map(({ name, screens }) => ({ name, screens: screens.filter(isShown) })).filter(
    ({ screens }) => screens.length > 0,
  )
}

/** The area that an address belongs to, also that of one thing in a list. */
export function areaOf(areas: readonly Area[], path: string): Area | undefined {
  return areas.find(({ screens }) =>
    screens.some(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`))),
  )
}
