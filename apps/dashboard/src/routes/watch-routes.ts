import { screen } from './root.ts'

export const watchRoutes = [
  screen('/alerts', () => import('../screens/watch/watch-alerts.tsx'), 'AlertsScreen'),
  screen('/watch-groups', () => import('../screens/watch/watch-groups.tsx'), 'WatchGroupsScreen'),
  screen('/watch-budget', () => import('../screens/watch/watch-budget.tsx'), 'WatchBudgetScreen'),
  screen('/watches', () => import('../screens/watch/watch-list.tsx'), 'WatchListScreen'),
  screen('/watches/new', () => import('../screens/watch/watch-new.tsx'), 'NewWatchScreen'),
  screen('/watches/$id', () => import('../screens/watch/watch-detail.tsx'), 'WatchDetailScreen'),
  screen(
    '/watches/$id/compare',
    () => import('../screens/watch/watch-compare.tsx'),
    'WatchCompareScreen',
  ),
  screen(
    '/watches/$id/metrics',
    () => import('../screens/watch/watch-metrics.tsx'),
    'WatchMetricsScreen',
  ),
  screen(
    '/growth',
    () => import('../screens/watch/watch-metrics-growth.tsx'),
    'ArchiveGrowthScreen',
  ),
] as const
