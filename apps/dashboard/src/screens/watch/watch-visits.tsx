/** All visits of a watch, newest first: what was said, what was found, and the way to it. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { VisitView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import type { ListedVisit } from '../../api/watches.ts'
import { timestampOf } from '../archive/archive-params.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { pagesAfter } from '../../components/list/list-rows.ts'
import { ListCard } from '../../components/list/list.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'

const EVERY_MS = 5_000

const OUTCOMES: Record<VisitView['outcome'], StatusKind> = {
  first: 'info',
  changed: 'good',
  unchanged: 'quiet',
  noise: 'quiet',
  failed: 'bad',
}

const isSource = (role: string): boolean => role === 'feed' || role === 'sitemap'

export function WatchVisits({ id }: { id: string }) {
  const { t } = useTranslation()
  const columns = useColumns()
  return (
    <ListCard
      name="visits"
      caption={t('watch.lastVisits')}
      columns={columns}
      keyOf={(visit) => visit.id}
      fileName={`watch-${id}-visits`}
      pages={{
        key: ['watches', 'visits', id],
        everyMs: EVERY_MS,
        limit: 20,
        read: pagesAfter<ListedVisit, number>(
          (before, limit) =>
            station('GET /watches/{id}/visits', { params: { id }, query: { before, limit } }),
          (last) => last.id,
        ),
      }}
      empty={<EmptyState title={t('watch.notVisited')} text={t('watch.needsTwo')} />}
    />
  )
}

function useColumns(): ListColumn<ListedVisit>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    { id: 'at', label: t('captures.when'), as: 'ago' },
    {
      id: 'outcome',
      label: t('watch.found'),
      cell: ({ outcome }) => (
        <StatusBadge kind={OUTCOMES[outcome]} text={t(`watch.outcome.${outcome}`)} />
      ),
    },
    { id: 'chance', label: t('watch.chanceSaid'), as: 'percent' },
    {
      id: 'magnitude',
      label: t('watch.magnitude'),
      isNumber: true,
      value: ({ outcome, magnitude }) => (outcome === 'changed' ? magnitude : null),
      cell: ({ outcome, magnitude, code }) =>
        outcome === 'changed' ? format.percent(magnitude) : (code ?? '–'),
    },
    {
      id: 'cause',
      label: t('watch.causeOne'),
      value: ({ cause, role }) => (isSource(role) ? role : cause),
      cell: ({ cause, role }) =>
        t(isSource(role) ? 'watch.feedCheck' : (`watch.cause.${cause}` as const)),
    },
    {
      id: 'url',
      label: t('captures.page'),
      isAddress: true,
      cell: ({ url, at, captureId }) =>
        captureId === null ? (
          url
        ) : (
          <Link to="/archive/url" search={{ url, at }}>
            {url}
          </Link>
        ),
    },
    {
      id: 'diff',
      label: t('archive.look'),
      content: ({ url, at, outcome }) =>
        outcome === 'changed' || outcome === 'noise' ? (
          <Link
            to="/archive/diff"
            search={{ url, before: 'previous', after: timestampOf(at) }}
            aria-label={t('archive.diffOf', { moment: format.moment(at) })}
          >
            {t('archive.diff')}
          </Link>
        ) : null,
    },
  ]
}
