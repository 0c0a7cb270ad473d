/** The frame around every screen, and which address shows which. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router'
import { I18nProvider } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { LiveProvider } from './live/live-provider.tsx'
import { Announcer } from './parts/announcer.tsx'
import { Header } from './parts/header.tsx'
import { StaleBanner } from './parts/stale-banner.tsx'
import { CollectionScreen } from './screens/collection-screen.tsx'
import { NewCollectionScreen } from './screens/new-collection-screen.tsx'
import { NotFoundScreen } from './screens/not-found-screen.tsx'
import { OverviewScreen } from './screens/overview-screen.tsx'

const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFoundScreen })

const routeTree = rootRoute.addChildren([
  createRoute({ getParentRoute: () => rootRoute, path: '/', component: OverviewScreen }),
  createRoute({ getParentRoute: () => rootRoute, path: '/new', component: NewCollectionScreen }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/collections/$id',
    component: CollectionScreen,
  }),
])

const router = createRouter({ routeTree, scrollRestoration: false })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

// Loopback is up or down: waiting longer before saying so helps nobody.
const queries = new QueryClient({
  defaultOptions: { queries: { retry: 1, networkMode: 'always' } },
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
        <Outlet />
      </main>
      <Announcer />
    </>
  )
}
