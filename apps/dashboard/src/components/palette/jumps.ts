/** `g` and a letter go to a screen, as in mail programs. */
import type { NavigationTarget } from '../../auth/navigation.ts'

export const JUMPS: Partial<Record<string, NavigationTarget>> = {
  o: '/',
  c: '/collections',
  n: '/new',
  a: '/archive',
  w: '/watches',
  i: '/wikis',
  q: '/queries',
  t: '/tasks',
  r: '/requests',
  d: '/devices',
  p: '/placement',
  j: '/join',
  l: '/leaderboard',
  e: '/events',
  s: '/config',
  k: '/keys',
  m: '/money',
}

/** The second letter must follow at once: a lone g is a slip. */
export const JUMP_MS = 1_500
