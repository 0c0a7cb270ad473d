/** How much each agent has, against its share and the most that it may have. */
import { useTranslation } from 'react-i18next'
import { DataTable } from '../../parts/data-table.tsx'
import { useFormat } from '../../parts/use-format.ts'
import type { PartBar } from './part-bars.ts'

const WIDTH = 320
const HEIGHT = 18

interface PartSizesProps {
  bars: readonly PartBar[]
  nameOf: (device: string | null) => string
}

export function PartSizes({ bars, nameOf }: PartSizesProps) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <>
      <DataTable
        caption={t('place.sizes')}
        rows={bars}
        keyOf={({ device }) => device}
        columns={[
          { label: t('place.agent'), isAddress: true, cell: ({ device }) => nameOf(device) },
          { label: t('place.pages'), cell: (bar) => <Bar bar={bar} /> },
          {
            label: t('place.pagesCount'),
            isNumber: true,
            cell: ({ pages }) => format.count(pages),
          },
          { label: t('place.hosts'), isNumber: true, cell: ({ hosts }) => format.count(hosts) },
          {
            label: t('place.aboveShare'),
            isNumber: true,
            cell: ({ above, isTooFull }) =>
              `${above > 0 ? '+' : ''}${format.percent(above)}${isTooFull ? ' ▲' : ''}`,
          },
          {
            label: t('place.capacity'),
            isNumber: true,
            cell: ({ capacity }) => format.percent(capacity),
          },
        ]}
      />
      <p className="legend-line quiet">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path className="share-mark" d="M8 1V15" />
        </svg>
        {t('place.shareMark')}
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path className="limit-mark" d="M8 1V15" />
        </svg>
        {t('place.limitMark')}
      </p>
    </>
  )
}

/** The figures stand beside it. */
function Bar({ bar }: { bar: PartBar }) {
  const [share, limit] = [bar.shareAt * WIDTH, bar.limitAt * WIDTH]
  return (
    <svg
      className={`part-bar${bar.isTooFull ? ' too-full' : ''}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect className="ground" width={WIDTH} height={HEIGHT} rx="4" />
      <rect className="fill" width={bar.width * WIDTH} height={HEIGHT} rx="4" />
      <path className="share-mark" d={`M${share} 0V${HEIGHT}`} />
      <path className="limit-mark" d={`M${limit} 0V${HEIGHT}`} />
    </svg>
  )
}
