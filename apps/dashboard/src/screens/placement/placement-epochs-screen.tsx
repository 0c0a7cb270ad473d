import type { PlaceEpoch } from '@minga/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { readEpochs } from '../../api/placement.ts'
import { Ago } from '../../parts/ago.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import type { ListColumn } from '../../parts/list/list-column.ts'
import { List } from '../../parts/list/list.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { ForThoseWho } from '../../people/for-those-who.tsx'
import { changesBetween, partChanges } from './epoch-changes.ts'
import { FigureChanges } from './figure-changes.tsx'
import { PlacementNav } from './placement-nav.tsx'
import { useDeviceNames } from './use-device-names.ts'

const EVERY_MS = 5_000

export function useEpochs() {
  return useQuery({ queryKey: ['epochs'], queryFn: readEpochs, refetchInterval: EVERY_MS })
}

export function PlacementEpochsScreen() {
  const { t } = useTranslation()
  return (
    <ForThoseWho may="settings:read" title={t('place.title')}>
      <h1>{t('place.nav.epochs')}</h1>
      <PlacementNav />
      <Epochs />
    </ForThoseWho>
  )
}

function Epochs() {
  const { t } = useTranslation()
  const query = useEpochs()
  const columns = useColumns()
  return (
    <>
      <section className="card">
        <p className="quiet">{t('place.epochsLead')}</p>
        <List
          caption={t('place.nav.epochs')}
          columns={columns}
          rows={query}
          keyOf={({ epoch }) => epoch}
          firstSort="-epoch"
          fileName="epochs"
          searchLabel={null}
          empty={<EmptyState title={t('place.noEpochs')} text={t('place.noHostsText')} />}
        />
      </section>
      {(query.data?.length ?? 0) > 1 ? <Compare epochs={query.data!} /> : null}
    </>
  )
}

function useColumns(): ListColumn<PlaceEpoch>[] {
  const { t, i18n } = useTranslation()
  const format = useFormat()
  const share = (id: 'exchangeShare' | 'imbalance', label: string): ListColumn<PlaceEpoch> => ({
    id,
    label,
    isNumber: true,
    value: (epoch) => epoch[id],
    cell: (epoch) => (epoch[id] === null ? t('figure.unknown') : format.percent(epoch[id])),
  })
  return [
    {
      id: 'epoch',
      label: t('place.epoch'),
      isNumber: true,
      value: ({ epoch }) => epoch,
      cell: ({ epoch }) => (
        <Link to="/placement/epochs/$epoch" params={{ epoch: String(epoch) }}>
          {epoch}
        </Link>
      ),
    },
    {
      id: 'at',
      label: t('place.when'),
      isTime: true,
      value: ({ at }) => at,
      cell: ({ at }) => <Ago at={at} />,
    },
    {
      id: 'reason',
      label: t('place.why'),
      value: ({ reason }) => reason,
      cell: ({ reason }) =>
        i18n.exists(`place.reason.${reason}`) ? t(`place.reason.${reason}`) : reason,
    },
    {
      id: 'agents',
      label: t('place.agents'),
      isNumber: true,
      value: ({ parts }) => parts.length,
      cell: ({ parts }) => format.count(parts.length),
    },
    {
      id: 'hosts',
      label: t('place.hosts'),
      isNumber: true,
      value: ({ hosts }) => hosts,
      cell: ({ hosts }) => format.count(hosts),
    },
    {
      id: 'moved',
      label: t('place.movedHosts'),
      isNumber: true,
      value: ({ story }) => story?.movedHosts ?? null,
      cell: ({ story }) => (story === null ? t('figure.unknown') : format.count(story.movedHosts)),
    },
    share('exchangeShare', t('place.figure.exchangeShare')),
    share('imbalance', t('place.figure.imbalance')),
  ]
}

interface Asked {
  one?: string
  other?: string
}

/** Which two stands in the address: a link shows the same comparison. */
function Compare({ epochs }: { epochs: readonly PlaceEpoch[] }) {
  const { t } = useTranslation()
  const nameOf = useDeviceNames()
  const format = useFormat()
  const { one: askedOne, other: askedOther } = useSearch({ strict: false }) as Asked
  const find = (asked: string | undefined, place: number): PlaceEpoch =>
    epochs.find(({ epoch }) => String(epoch) === asked) ?? epochs[place]!
  const [one, other] = [find(askedOne, 1), find(askedOther, 0)]
  return (
    <section className="card">
      <h2>{t('place.compare')}</h2>
      <div className="choice">
        <EpochChoice name="one" label={t('place.before')} chosen={one} epochs={epochs} />
        <EpochChoice name="other" label={t('place.after')} chosen={other} epochs={epochs} />
      </div>
      <FigureChanges
        changes={changesBetween(one, other)}
        before={t('place.epochNo', { epoch: one.epoch })}
        after={t('place.epochNo', { epoch: other.epoch })}
      />
      <h3>{t('place.hostsByAgent')}</h3>
      <DataTable
        caption={t('place.hostsByAgent')}
        rows={partChanges(one, other)}
        keyOf={({ device }) => device}
        columns={[
          { label: t('place.agent'), isAddress: true, cell: ({ device }) => nameOf(device) },
          { label: t('place.before'), isNumber: true, cell: (row) => format.count(row.before) },
          { label: t('place.after'), isNumber: true, cell: (row) => format.count(row.after) },
        ]}
      />
    </section>
  )
}

interface EpochChoiceProps {
  name: 'one' | 'other'
  label: string
  chosen: PlaceEpoch
  epochs: readonly PlaceEpoch[]
}

function EpochChoice({ name, label, chosen, epochs }: EpochChoiceProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const choose = (epoch: string): void =>
    void navigate({
      to: '.',
      search: ((former: Asked) => ({ ...former, [name]: epoch })) as never,
      resetScroll: false,
    })
  return (
    <label>
      {label}{' '}
      <select value={chosen.epoch} onChange={(event) => choose(event.target.value)}>
        {epochs.map(({ epoch }) => (
          <option key={epoch} value={epoch}>
            {t('place.epochNo', { epoch })}
          </option>
        ))}
      </select>
    </label>
  )
}
