/** The page: what it is told, in which language, and which address shows which screen. */
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
import { loadTestsRoutes } from './routes/load-tests-routes.ts'
import { neutralityRoutes } from './routes/neutrality-routes.ts'
import { requestsRoutes } from './routes/requests-routes.ts'
import { stationRoutes } from './routes/station-routes.ts'
import { watchRoutes } from './routes/watch-routes.ts'
import { rootRoute } from './routes/root.ts'

// The screens of collections come with the page; the others when somebody opens them.
const routeTree = rootRoute.addChildren([
  ...accountRoutes,
  ...agentsRoutes,
  ...archiveRoutes,
  ...collectionsRoutes,
  ...loadTestsRoutes,
  ...neutralityRoutes,
  ...requestsRoutes,
  ...stationRoutes,
  ...watchRoutes,
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
