/** The frame around every screen, and which address shows which. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  RouterProvider,
  type RouteComponent,
} from '@tanstack/react-router'
import { I18nProvider } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { isTriedAgain } from './api/call.ts'
import { LiveProvider } from './live/live-provider.tsx'
import { Announcer } from './parts/announcer.tsx'
import { askedOf } from './parts/archive-asked.ts'
import { AreaNav } from './parts/area-nav.tsx'
import { Header } from './parts/header.tsx'
import { StaleBanner } from './parts/stale-banner.tsx'
import { CollectionScreen } from './screens/collection-screen.tsx'
import { LogInScreen, RegisterScreen } from './screens/log-in-screen.tsx'
import { NewCollectionScreen } from './screens/new-collection-screen.tsx'
import { NotFoundScreen } from './screens/not-found-screen.tsx'
import { OverviewScreen } from './screens/overview-screen.tsx'
import { ResetScreen } from './screens/reset-screen.tsx'

const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFoundScreen })

/** A screen below the frame. */
const screen = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => rootRoute, path, component })

/** One that is about what stands behind the question mark. */
const searched = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => rootRoute, path, component, validateSearch: askedOf })

// The screens of collections come with the page; the others when somebody opens them.
const routeTree = rootRoute.addChildren([
  screen('/', OverviewScreen),
  screen('/new', NewCollectionScreen),
  screen('/collections/$id', CollectionScreen),
  screen('/log-in', LogInScreen),
  screen('/register', RegisterScreen),
  screen('/reset', ResetScreen),
  screen(
    '/abuse',
    lazyRouteComponent(() => import('./screens/abuse-screen.tsx'), 'AbuseScreen'),
  ),
  screen(
    '/account',
    lazyRouteComponent(() => import('./screens/account-screen.tsx'), 'AccountScreen'),
  ),
  screen(
    '/accounts',
    lazyRouteComponent(() => import('./screens/accounts-screen.tsx'), 'AccountsScreen'),
  ),
  screen(
    '/alerts',
    lazyRouteComponent(() => import('./screens/watch-alerts.tsx'), 'AlertsScreen'),
  ),
  screen(
    '/archive',
    lazyRouteComponent(() => import('./screens/archive-screen.tsx'), 'ArchiveScreen'),
  ),
  searched(
    '/archive/url',
    lazyRouteComponent(() => import('./screens/archive-url-screen.tsx'), 'ArchiveUrlScreen'),
  ),
  searched(
    '/archive/diff',
    lazyRouteComponent(() => import('./screens/archive-diff-screen.tsx'), 'ArchiveDiffScreen'),
  ),
  screen(
    '/versions',
    lazyRouteComponent(
      () => import('./screens/archive-versions-screen.tsx'),
      'ArchiveVersionsScreen',
    ),
  ),
  screen(
    '/versions/$id/$number',
    lazyRouteComponent(
      () => import('./screens/archive-version-screen.tsx'),
      'ArchiveVersionScreen',
    ),
  ),
  searched(
    '/archive/compare',
    lazyRouteComponent(
      () => import('./screens/archive-compare-screen.tsx'),
      'ArchiveCompareScreen',
    ),
  ),
  screen(
    '/config',
    lazyRouteComponent(() => import('./screens/config-screen.tsx'), 'ConfigScreen'),
  ),
  screen(
    '/devices',
    lazyRouteComponent(() => import('./screens/devices-screen.tsx'), 'DevicesScreen'),
  ),
  screen(
    '/devices/$id',
    lazyRouteComponent(() => import('./screens/device-screen.tsx'), 'DeviceScreen'),
  ),
  screen(
    '/join',
    lazyRouteComponent(() => import('./screens/join-screen.tsx'), 'JoinScreen'),
  ),
  screen(
    '/keys',
    lazyRouteComponent(() => import('./screens/keys-screen.tsx'), 'KeysScreen'),
  ),
  screen(
    '/leaderboard',
    lazyRouteComponent(() => import('./screens/leaderboard-screen.tsx'), 'LeaderboardScreen'),
  ),
  screen(
    '/load-tests',
    lazyRouteComponent(() => import('./screens/load-tests-screen.tsx'), 'LoadTestsScreen'),
  ),
  screen(
    '/load-tests/$id',
    lazyRouteComponent(() => import('./screens/load-test-screen.tsx'), 'LoadTestScreen'),
  ),
  screen(
    '/money',
    lazyRouteComponent(() => import('./screens/money-screen.tsx'), 'MoneyScreen'),
  ),
  screen(
    '/neutrality',
    lazyRouteComponent(() => import('./screens/monitors-screen.tsx'), 'MonitorsScreen'),
  ),
  screen(
    '/neutrality/$id',
    lazyRouteComponent(() => import('./screens/monitor-screen.tsx'), 'MonitorScreen'),
  ),
  screen(
    '/requests',
    lazyRouteComponent(() => import('./screens/requests-screen.tsx'), 'RequestsScreen'),
  ),
  screen(
    '/requests/$id',
    lazyRouteComponent(() => import('./screens/request-screen.tsx'), 'RequestScreen'),
  ),
  screen(
    '/watch-groups',
    lazyRouteComponent(() => import('./screens/watch-groups.tsx'), 'WatchGroupsScreen'),
  ),
  screen(
    '/watches',
    lazyRouteComponent(() => import('./screens/watch-list.tsx'), 'WatchListScreen'),
  ),
  screen(
    '/watches/new',
    lazyRouteComponent(() => import('./screens/watch-new.tsx'), 'NewWatchScreen'),
  ),
  screen(
    '/watches/$id',
    lazyRouteComponent(() => import('./screens/watch-detail.tsx'), 'WatchDetailScreen'),
  ),
  screen(
    '/watches/$id/compare',
    lazyRouteComponent(() => import('./screens/watch-compare.tsx'), 'WatchCompareScreen'),
  ),
  screen(
    '/watches/$id/metrics',
    lazyRouteComponent(() => import('./screens/watch-metrics.tsx'), 'WatchMetricsScreen'),
  ),
  screen(
    '/growth',
    lazyRouteComponent(() => import('./screens/watch-metrics-growth.tsx'), 'ArchiveGrowthScreen'),
  ),
])

const router = createRouter({ routeTree, scrollRestoration: false })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

// Loopback is up or down: waiting longer before saying so helps nobody.
const queries = new QueryClient({
  defaultOptions: { queries: { retry: isTriedAgain, networkMode: 'always' } },
})

export function App() {
  const { i18n } = useTranslation()
  return (
    <QueryClientProvider client={queries}>
      <I18nProvider locale={i18n.language}>
        <LiveProvider>
          <RouterProvider router={router} />
        </LiveProvider>
      </I18nProvider>
    </QueryClientProvider>
  )
}

function Frame() {
  const { t } = useTranslation()
  return (
    <>
      <a className="skip" href="#content">
        {t('skip')}
      </a>
      <Header />
      <StaleBanner />
      <main id="content" tabIndex={-1}>
        <AreaNav />
        <Outlet />
      </main>
      <Announcer />
    </>
  )
}
