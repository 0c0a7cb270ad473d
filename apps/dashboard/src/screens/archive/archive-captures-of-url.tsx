/** All captures of one address, newest first, with the ways to look at each. */
import { useTranslation } from 'react-i18next'
import type { CaptureRow } from '@minga/protocol'
import { station } from '../../api/station.ts'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { askedSpan } from './archive-span.ts'
import { CaptureViews } from './archive-views.tsx'

const ROWS = 100
const SECOND_MS = 1_000

/** Moments of the archive are seconds. */
const secondOf = (at: number): number => Math.floor(at / SECOND_MS) * SECOND_MS

export function CapturesOfUrl({ url, firstAt }: { url: string; firstAt: number }) {
  const { t } = useTranslation()
  const columns: ListColumn<CaptureRow>[] = [
    {
      id: 'capturedAt',
      label: t('captures.when'),
      as: 'moment',
      canSort: true,
      filter: { kind: 'time' },
    },
    { id: 'status', label: t('captures.status'), as: 'text' },
    {
      id: 'type',
      label: t('captures.type'),
      value: ({ kind, mime }) => (kind === 'revisit' ? 'revisit' : mime),
      cell: ({ kind, mime }) => (kind === 'revisit' ? t('captures.revisit') : mime),
    },
    { id: 'length', label: t('captures.size'), as: 'bytes' },
    {
      id: 'look',
      label: t('archive.look'),
      content: (capture) => (
        <CaptureViews capture={capture} hasPrevious={secondOf(capture.capturedAt) > firstAt} />
      ),
    },
  ]
  return (
    <ListCard
      name="captures"
      caption={t('archive.captures')}
      columns={columns}
      firstSort="-capturedAt"
      fileName="captures"
      pages={{
        key: ['archive-captures', url],
        limit: ROWS,
        read: async ({ sort, spans, cursor, limit }) => {
          const order = sort === 'capturedAt' ? ('oldest' as const) : ('newest' as const)
          const times = askedSpan(spans['capturedAt'])
          const page = await station('GET /archive/captures', {
            query: { url, ...times, order, after: cursor, limit },
          })
          return { rows: page.captures, cursor: page.next }
        },
      }}
      empty={<p className="quiet">{t('captures.none')}</p>}
    />
  )
}
