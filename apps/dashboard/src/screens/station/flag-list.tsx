/** What was noticed about clients; what waits for a decision comes first. */
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import type { BulkAction } from '../../components/list/list-bulk.tsx'
import type { Choice, ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'
import { useMe } from '../../auth/use-me.ts'
import { FlagButton, FLAG_EFFECTS } from './flag-view.tsx'
import type { Flag } from '../../api/station-api.ts'

/** As the station names what it notices. */
const FLAG_KINDS = [
  'injection',
  'credentials',
  'denied',
  'volume',
  'hammering',
  'scanning',
  'enumeration',
  'evasion',
  'clicks',
  'probing',
] as const satisfies readonly Flag['kind'][]

const FLAG_SEVERITIES = ['notice', 'alarm'] as const satisfies readonly Flag['severity'][]

const FLAG_STATES = ['open', 'confirmed', 'dismissed'] as const satisfies readonly Flag['state'][]

/** A new flag is news: sooner than a person reloads. */
const EVERY_MS = 10_000

export function FlagList() {
  const { t } = useTranslation()
  const columns = useColumns()
  return (
    <ListCard
      name="flags"
      caption={t('abuse.flags')}
      lead={t('abuse.flagsLead')}
      columns={columns}
      searchLabel={t('abuse.search')}
      firstSort="-state"
      fileName="flags"
      empty={<EmptyState title={t('abuse.none')} />}
      bulkActions={useBulk()}
      pages={{
        key: ['flags'],
        everyMs: EVERY_MS,
        read: sortedPages((query) => station('GET /abuse/flags/page', { query }), 'openedAt'),
      }}
    />
  )
}

/** An effect that is not named stays as it is, and so does the note. */
function useBulk(): BulkAction<Flag>[] {
  const { t } = useTranslation()
  const { may } = useMe()
  if (!may('abuse:write')) return []
  const decide = (state: Flag['state'], isDanger: boolean): BulkAction<Flag> => ({
    label: t(`abuse.decide.${state}`),
    act: ({ id, effect, note }) =>
      station('PATCH /abuse/flags/{id}', { params: { id }, body: { state, effect, note } }),
    isFor: (flag) => flag.state !== state,
    isDanger,
    confirm: {
      title: (count) => t(`abuse.decideMany.${state}`, { count }),
      text: t(`abuse.decideText.${state}`),
      yes: t(`abuse.decide.${state}`),
    },
    touched: ['flags'],
  })
  return [decide('dismissed', false), decide('confirmed', true)]
}

const STATE_MARKS: Record<Flag['state'], StatusKind> = {
  open: 'warn',
  confirmed: 'bad',
  dismissed: 'quiet',
}

function useColumns(): ListColumn<Flag>[] {
  const { t } = useTranslation()
  const what = useWhatColumns()
  const states = useStateColumns()
  const more = useMoreColumns()
  const change: ListColumn<Flag> = {
    id: 'change',
    label: t('join.change'),
    content: (flag) => <FlagButton flag={flag} />,
  }
  return [...what, ...states, ...more, change]
}

function useChoices(): (values: readonly string[], word: string) => Choice[] {
  const { t } = useTranslation()
  return (values, word) => values.map((value) => ({ value, label: t(`abuse.${word}.${value}`) }))
}

function useWhatColumns(): ListColumn<Flag>[] {
  const { t } = useTranslation()
  const choices = useChoices()
  return [
    {
      id: 'openedAt',
      label: t('abuse.noticed'),
      as: 'ago',
      canSort: true,
      filter: { kind: 'time' },
      width: '9rem',
    },
    {
      id: 'kind',
      label: t('abuse.what'),
      isAddress: true,
      canSort: true,
      cell: ({ kind }) => t(`abuse.kind.${kind}`),
      filter: { kind: 'choice', choices: choices(FLAG_KINDS, 'kind') },
    },
    { id: 'client', label: t('abuse.client'), as: 'code', isAddress: true, canSort: true },
  ]
}

function useStateColumns(): ListColumn<Flag>[] {
  const { t } = useTranslation()
  const choices = useChoices()
  return [
    {
      id: 'severity',
      label: t('abuse.weight'),
      canSort: true,
      cell: ({ severity }) => (
        <StatusBadge
          kind={severity === 'alarm' ? 'bad' : 'info'}
          text={t(`abuse.severity.${severity}`)}
        />
      ),
      filter: { kind: 'choice', choices: choices(FLAG_SEVERITIES, 'severity') },
    },
    {
      id: 'state',
      label: t('device.stateLabel'),
      canSort: true,
      cell: ({ state }) => (
        <StatusBadge kind={STATE_MARKS[state]} text={t(`abuse.state.${state}`)} />
      ),
      filter: { kind: 'choice', choices: choices(FLAG_STATES, 'state') },
    },
    {
      id: 'effect',
      label: t('abuse.effectLabel'),
      canSort: true,
      cell: ({ effect }) => t(`abuse.effect.${effect}`),
      filter: { kind: 'choice', choices: choices(FLAG_EFFECTS, 'effect') },
    },
  ]
}

function useMoreColumns(): ListColumn<Flag>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'evidence',
      label: t('abuse.evidence'),
      isHidden: true,
      isAddress: true,
      value: evidenceText,
      cell: evidenceText,
    },
    { id: 'note', label: t('accounts.note'), as: 'text', isHidden: true, isAddress: true },
    { id: 'decidedBy', label: t('config.who'), as: 'text', isHidden: true, isAddress: true },
  ]
}

/** In the station's own words, as a file has them too. */
function evidenceText({ evidence }: Flag): string {
  return Object.entries(evidence)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
