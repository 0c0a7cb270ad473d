import { lazyRouteComponent } from '@tanstack/react-router'
import { screen, searched } from './root.ts'

export const archiveRoutes = [
  screen(
    '/archive',
    lazyRouteComponent(() => import('../screens/archive/archive-screen.tsx'), 'ArchiveScreen'),
  ),
  searched(
    '/archive/url',
    lazyRouteComponent(
      () => import('../screens/archive/archive-url-screen.tsx'),
      'ArchiveUrlScreen',
    ),
  ),
  searched(
    '/archive/replay',
    lazyRouteComponent(
      () => import('../screens/archive/archive-replay-screen.tsx'),
      'ArchiveReplayScreen',
    ),
  ),
  screen(
    '/captures',
    lazyRouteComponent(
      () => import('../screens/archive/archive-captures-screen.tsx'),
      'ArchiveCapturesScreen',
    ),
  ),
  searched(
    '/archive/diff',
    lazyRouteComponent(
      () => import('../screens/archive/archive-diff-screen.tsx'),
      'ArchiveDiffScreen',
    ),
  ),
  screen(
    '/versions',
    lazyRouteComponent(
      () => import('../screens/archive/archive-versions-screen.tsx'),
      'ArchiveVersionsScreen',
    ),
  ),
  screen(
    '/versions/$id/$number',
    lazyRouteComponent(
      () => import('../screens/archive/archive-version-screen.tsx'),
      'ArchiveVersionScreen',
    ),
  ),
  searched(
    '/archive/compare',
    lazyRouteComponent(
      () => import('../screens/archive/archive-compare-screen.tsx'),
      'ArchiveCompareScreen',
    ),
  ),
] as const
