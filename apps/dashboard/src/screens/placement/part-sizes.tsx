/** How much each agent has, against its share and the most that it may have. */
import { useTranslation } from 'react-i18next'
import type { ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { useFormat } from '../../components/use-format.ts'
import type { PartBar } from './part-bars.ts'

const WIDTH = 320
const HEIGHT = 18

interface PartSizesProps {
  bars: readonly PartBar[]
  nameOf: (device: string | null) => string
}

export function PartSizes({ bars, nameOf }: PartSizesProps) {
  const { t } = useTranslation()
  return (
    <>
      <List
        name="parts"
        caption={t('place.sizes')}
        columns={useColumns(nameOf)}
        rows={{ data: bars, error: null }}
        keyOf={({ device }) => device}
        fileName="parts"
        empty={null}
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

function useColumns(nameOf: PartSizesProps['nameOf']): ListColumn<PartBar>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      id: 'agent',
      label: t('place.agent'),
      as: 'text',
      value: ({ device }) => nameOf(device),
      isAddress: true,
    },
    { id: 'bar', label: t('place.pages'), content: (bar) => <Bar bar={bar} /> },
    { id: 'pages', label: t('place.pagesCount'), as: 'count' },
    { id: 'hosts', label: t('place.hosts'), as: 'count' },
    {
      id: 'aboveShare',
      label: t('place.aboveShare'),
      isNumber: true,
      value: ({ above }) => above,
      cell: ({ above, isTooFull }) =>
        `${above > 0 ? '+' : ''}${format.percent(above)}${isTooFull ? ' ▲' : ''}`,
    },
    { id: 'capacity', label: t('place.capacity'), as: 'percent' },
  ]
}

/** The figures are next to it. */
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
