/** Everything that works in the background, together and then in detail: tasks of queries and imports, and of wikis. */
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { AllJobs } from './all-jobs.tsx'
import { LakeTasks } from './lake-tasks.tsx'
import { WikiTasks } from './wiki-tasks.tsx'

export function TasksScreen() {
  const { t } = useTranslation()
  const { may } = useMe()
  // Who comes from a query wants its tasks, and nothing before them.
  const { query } = useSearch({ strict: false }) as { query?: string }
  return (
    <RequirePermission may="queries:read" title={t('task.title')}>
      <h1>{t('task.title')}</h1>
      <p className="quiet">{t('task.lead')}</p>
      {query === undefined ? <AllJobs /> : null}
      <LakeTasks />
      {query === undefined && may('captures:read') ? <WikiTasks /> : null}
    </RequirePermission>
  )
}
