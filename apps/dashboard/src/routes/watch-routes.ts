import { lazyRouteComponent } from '@tanstack/react-router'
import { screen } from './root.ts'

export const watchRoutes = [
  screen(
    '/alerts',
    lazyRouteComponent(() => import('../screens/watch/watch-alerts.tsx'), 'AlertsScreen'),
  ),
  screen(
    '/watch-groups',
    lazyRouteComponent(() => import('../screens/watch/watch-groups.tsx'), 'WatchGroupsScreen'),
  ),
  screen(
    '/watch-budget',
    lazyRouteComponent(() => import('../screens/watch/watch-budget.tsx'), 'WatchBudgetScreen'),
  ),
  screen(
    '/watches',
    lazyRouteComponent(() => import('../screens/watch/watch-list.tsx'), 'WatchListScreen'),
  ),
  screen(
    '/watches/new',
    lazyRouteComponent(() => import('../screens/watch/watch-new.tsx'), 'NewWatchScreen'),
  ),
  screen(
    '/watches/$id',
    lazyRouteComponent(() => import('../screens/watch/watch-detail.tsx'), 'WatchDetailScreen'),
  ),
  screen(
    '/watches/$id/compare',
    lazyRouteComponent(() => import('../screens/watch/watch-compare.tsx'), 'WatchCompareScreen'),
  ),
  screen(
    '/watches/$id/metrics',
    lazyRouteComponent(() => import('../screens/watch/watch-metrics.tsx'), 'WatchMetricsScreen'),
  ),
  screen(
    '/growth',
    lazyRouteComponent(
      () => import('../screens/watch/watch-metrics-growth.tsx'),
      'ArchiveGrowthScreen',
    ),
  ),
] as const
