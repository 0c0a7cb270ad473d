/** What the list of watches shows of each: how it goes, when it is visited, and how sure that is. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { VisitOutcome, WatchCategoryView, WatchListRow, WatchView } from '@minga/protocol'
import { useLive } from '../../live/live-provider.tsx'
import { Ahead } from '../../components/ago.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useFormat } from '../../components/use-format.ts'
import { freshnessOf, surenessOf } from './watch-list-asked.ts'
import { categoryName } from './watch-words.ts'

export function useWatchColumns(
  categories: readonly WatchCategoryView[],
): ListColumn<WatchListRow>[] {
  return [
    ...useWhatColumns(categories),
    ...usePlanColumns(),
    ...useFoundColumns(),
    ...useFilterColumns(),
  ]
}

function useWhatColumns(categories: readonly WatchCategoryView[]): ListColumn<WatchListRow>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      id: 'name',
      label: t('people.name'),
      isAddress: true,
      canSort: true,
      cell: ({ id, name, isUnread }) => (
        <>
          <Link to="/watches/$id" params={{ id: String(id) }} className="watch-name">
            {name}
          </Link>
          {isUnread === true ? (
            <>
              {' '}
              <StatusBadge kind="good" text={t('watch.unread')} />
            </>
          ) : null}
        </>
      ),
    },
    {
      id: 'subject',
      isHidden: true,
      label: t('watch.what'),
      cell: ({ subject, urls }) =>
        `${t(`watch.subject.${subject}`)}${urls > 1 ? ` (${format.count(urls)})` : ''}`,
      filter: choiceOf(['page', 'site', 'list'] as const, (value) => t(`watch.subject.${value}`)),
    },
    {
      id: 'category',
      label: t('watch.category'),
      as: 'text',
      value: ({ category }) => categoryName(t, categories, category),
      isHidden: true,
      filter: {
        kind: 'choice',
        choices: [
          { value: 'none', label: t('watch.noCategory') },
          ...categories.map(({ code }) => ({
            value: String(code),
            label: categoryName(t, categories, code),
          })),
        ],
      },
    },
    {
      id: 'state',
      label: t('device.stateLabel'),
      value: ({ isActive, state }) => (isActive ? state : 'inactive'),
      cell: (watch) => <WatchMark watch={watch} />,
      filter: choiceOf(['active', 'inactive', 'running'] as const, (value) =>
        t(`watch.state.${value}`),
      ),
    },
    { id: 'url', label: t('watchGroups.address'), as: 'text', isAddress: true, isHidden: true },
  ]
}

function usePlanColumns(): ListColumn<WatchListRow>[] {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useLive().state?.snapshot.now ?? 0
  const fresh = (watch: WatchListRow): number | null => freshnessOf(watch, now)
  return [
    {
      id: 'nextVisit',
      label: t('watch.nextVisit'),
      isNumber: true,
      isTime: true,
      canSort: true,
      value: ({ nextVisitAt }) => nextVisitAt,
      cell: ({ nextVisitAt }) => (nextVisitAt === null ? '–' : <Ahead at={nextVisitAt} />),
    },
    {
      id: 'gap',
      label: t('watch.gap'),
      isNumber: true,
      value: ({ gapMs }) => gapMs,
      cell: (watch) =>
        watch.gapMs === null || isByHand(watch) ? <Pace watch={watch} /> : format.span(watch.gapMs),
    },
    {
      id: 'sureness',
      label: t('watch.sureness'),
      isNumber: true,
      value: ({ rateLow, rateHigh }) => surenessOf(rateLow, rateHigh),
      cell: (watch) => <Sureness watch={watch} />,
    },
    {
      id: 'freshness',
      label: t('watch.freshness'),
      isNumber: true,
      value: fresh,
      cell: (watch) => {
        const share = fresh(watch)
        return share === null ? '–' : format.percent(share)
      },
    },
  ]
}

function useFoundColumns(): ListColumn<WatchListRow>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'outcomes',
      label: t('watch.lastOutcomes'),
      value: ({ outcomes }) => outcomes.join(' '),
      cell: ({ outcomes }) => <Outcomes outcomes={outcomes} />,
    },
    { id: 'visits', label: t('watch.visits'), as: 'count', canSort: true, isHidden: true },
    { id: 'changes', label: t('watch.changes'), as: 'count', canSort: true },
    {
      id: 'lastChange',
      label: t('watch.lastChange'),
      as: 'ago',
      value: ({ lastChangeAt }) => lastChangeAt,
      isNumber: true,
      canSort: true,
    },
    { id: 'bytes', label: t('captures.size'), as: 'bytes', isHidden: true },
  ]
}

/** Asked for rather than looked at. */
function useFilterColumns(): ListColumn<WatchListRow>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'news',
      label: t('watch.news'),
      isHidden: true,
      value: ({ isUnread, failures }) => newsOf(isUnread, failures),
      cell: ({ isUnread, failures }) => {
        const news = newsOf(isUnread, failures)
        return news === null ? '–' : t(`watch.newsKind.${news}`)
      },
      filter: choiceOf(['unread', 'failing'] as const, (value) => t(`watch.newsKind.${value}`)),
    },
    {
      id: 'group',
      label: t('watchMetrics.group'),
      isHidden: true,
      content: () => '',
      filter: choiceOf(['high', 'medium', 'low'] as const, (value) =>
        t(`watchGroups.group.${value}`),
      ),
    },
  ]
}

function newsOf(isUnread: boolean | null, failures: number): 'unread' | 'failing' | null {
  if (failures > 0) return 'failing'
  return isUnread === true ? 'unread' : null
}

export function WatchMark({ watch }: { watch: WatchView }) {
  const { t } = useTranslation()
  const { isActive, state } = watch
  if (!isActive) return <StatusBadge kind="warn" text={t('watch.state.inactive')} />
  const word = state === 'running' ? 'running' : 'active'
  return <StatusBadge kind={word === 'running' ? 'good' : 'info'} text={t(`watch.state.${word}`)} />
}

const isByHand = ({ periodMs, policy }: WatchView): boolean => periodMs !== null || policy !== null

/** Settings that a user set manually are marked as such. */
export function Pace({ watch }: { watch: WatchView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { periodMs, policy } = watch
  if (!isByHand(watch)) return t('watch.automatic')
  const pace = periodMs === null ? policy! : t('watch.every', { time: format.span(periodMs) })
  return (
    <>
      {pace} <StatusBadge kind="info" text={t('watch.byHand')} />
    </>
  )
}

const SIGNS: Record<VisitOutcome, string> = {
  first: '★',
  changed: '●',
  unchanged: '○',
  noise: '◌',
  failed: '✕',
}

/** Oldest first; in words for those who do not see the marks. */
export function Outcomes({ outcomes }: { outcomes: readonly VisitOutcome[] }) {
  const { t } = useTranslation()
  if (outcomes.length === 0) return t('watch.notVisited')
  const words = outcomes.map((outcome) => t(`watch.outcome.${outcome}`)).join(', ')
  return (
    <span className="outcomes" role="img" aria-label={words} title={words}>
      {outcomes.map((outcome, i) => (
        <i key={i} className={outcome}>
          {SIGNS[outcome]}
        </i>
      ))}
    </span>
  )
}

function Sureness({ watch }: { watch: WatchListRow }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { rateLow, rateHigh } = watch
  const share = surenessOf(rateLow, rateHigh)
  if (watch.learning !== null) return t('watch.learningShort', { ...watch.learning })
  if (share === null) return '–'
  const text = t('watch.rateBetween', { low: format.rate(rateLow!), high: format.rate(rateHigh!) })
  return <span title={text}>{format.percent(share)}</span>
}
