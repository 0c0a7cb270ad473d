import { screen, searched } from './root.ts'

export const archiveRoutes = [
  screen('/archive', () => import('../screens/archive/archive-screen.tsx'), 'ArchiveScreen'),
  searched(
    '/archive/url',
    () => import('../screens/archive/archive-url-screen.tsx'),
    'ArchiveUrlScreen',
  ),
  searched(
    '/archive/replay',
    () => import('../screens/archive/archive-replay-screen.tsx'),
    'ArchiveReplayScreen',
  ),
  screen(
    '/captures',
    () => import('../screens/archive/archive-captures-screen.tsx'),
    'ArchiveCapturesScreen',
  ),
  searched(
    '/archive/diff',
    () => import('../screens/archive/archive-diff-screen.tsx'),
    'ArchiveDiffScreen',
  ),
  screen(
    '/versions',
    () => import('../screens/archive/archive-versions-screen.tsx'),
    'ArchiveVersionsScreen',
  ),
  screen(
    '/versions/$id/$number',
    () => import('../screens/archive/archive-version-screen.tsx'),
    'ArchiveVersionScreen',
  ),
  searched(
    '/archive/compare',
    () => import('../screens/archive/archive-compare-screen.tsx'),
    'ArchiveCompareScreen',
  ),
] as const
