/** The page: its options, its language, and which address shows which screen. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { I18nProvider } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { isTriedAgain } from './api/call.ts'
import { LiveProvider } from './live/live-provider.tsx'
import { accountRoutes } from './routes/account-routes.ts'
import { agentsRoutes } from './routes/agents-routes.ts'
import { archiveRoutes } from './routes/archive-routes.ts'
import { collectionsRoutes } from './routes/collections-routes.ts'
import { eventsRoutes } from './routes/events-routes.ts'
import { loadTestsRoutes } from './routes/load-tests-routes.ts'
import { neutralityRoutes } from './routes/neutrality-routes.ts'
import { queryRoutes } from './routes/query-routes.ts'
import { placementRoutes } from './routes/placement-routes.ts'
import { requestsRoutes } from './routes/requests-routes.ts'
import { stationRoutes } from './routes/station-routes.ts'
import { tasksRoutes } from './routes/tasks-routes.ts'
import { watchRoutes } from './routes/watch-routes.ts'
import { wikiRoutes } from './routes/wiki-routes.ts'
import { rootRoute } from './routes/root.ts'
import { searchIn, searchText } from './routes/search.ts'
import { CrashScreen } from './screens/crash-screen.tsx'

// The screens of collections come with the page; the others when they are opened.
const routeTree = rootRoute.addChildren([
  ...accountRoutes,
  ...agentsRoutes,
  ...archiveRoutes,
  ...collectionsRoutes,
  ...eventsRoutes,
  ...loadTestsRoutes,
  ...neutralityRoutes,
  ...queryRoutes,
  ...placementRoutes,
  ...requestsRoutes,
  ...stationRoutes,
  ...tasksRoutes,
  ...watchRoutes,
  ...wikiRoutes,
])

const router = createRouter({
  routeTree,
  scrollRestoration: false,
  defaultErrorComponent: CrashScreen,
  parseSearch: searchIn,
  stringifySearch: searchText,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

// Loopback is up or down: waiting longer before saying so does not help.
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
