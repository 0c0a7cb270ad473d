import type { PlacementEpoch, PlacementEpochRow } from '@minga/protocol'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { sortedPages } from '../../components/list/sorted-pages.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { RequirePermission } from '../../auth/require-permission.tsx'
import { changesBetween, partChanges } from './epoch-changes.ts'
import { FigureChanges } from './figure-changes.tsx'
import { PlacementNav } from './placement-nav.tsx'
import { useDeviceNames } from './use-device-names.ts'
import { useEpoch } from './use-epoch.ts'

const EVERY_MS = 5_000
/** Half a hundred are kept. */
const CHOSEN_FROM = 1_000

export function PlacementEpochsScreen() {
  const { t } = useTranslation()
  return (
    <RequirePermission may="settings:read" title={t('place.title')}>
      <h1>{t('place.nav.epochs')}</h1>
      <PlacementNav />
      <Epochs />
    </RequirePermission>
  )
}

function Epochs() {
  const { t } = useTranslation()
  const columns = useColumns()
  return (
    <>
      <section className="card">
        <p className="quiet">{t('place.epochsLead')}</p>
        <List
          caption={t('place.nav.epochs')}
          columns={columns}
          keyOf={({ epoch }) => epoch}
          firstSort="-epoch"
          fileName="epochs"
          searchLabel={t('place.searchEpochs')}
          empty={
            <EmptyState title={t('place.noEpochs')} text={t('place.noHostsText')}>
              <Link to="/placement" className="button">
                {t('place.title')}
              </Link>
            </EmptyState>
          }
          pages={{
            key: ['epochs'],
            everyMs: EVERY_MS,
            read: sortedPages((query) => station('GET /place/epochs', { query }), 'at'),
          }}
        />
      </section>
      <Compare />
    </>
  )
}

const REASONS = ['asked', 'members', 'new-hosts', 'imbalance', 'exchange', 'latency', 'time']

function useColumns(): ListColumn<PlacementEpochRow>[] {
  const { t, i18n } = useTranslation()
  return [
    {
      id: 'epoch',
      label: t('place.epoch'),
      isNumber: true,
      canSort: true,
      cell: ({ epoch }) => (
        <Link to="/placement/epochs/$epoch" params={{ epoch: String(epoch) }}>
          {epoch}
        </Link>
      ),
    },
    { id: 'at', label: t('place.when'), as: 'ago', canSort: true, filter: { kind: 'time' } },
    {
      id: 'reason',
      label: t('place.why'),
      canSort: true,
      filter: choiceOf(REASONS, (value) => t(`place.reason.${value}`)),
      cell: ({ reason }) =>
        i18n.exists(`place.reason.${reason}`) ? t(`place.reason.${reason}`) : reason,
    },
    { id: 'agents', label: t('place.agents'), as: 'count' },
    { id: 'hosts', label: t('place.hosts'), as: 'count', canSort: true },
    { id: 'movedHosts', label: t('place.movedHosts'), as: 'count' },
    { id: 'movedPages', label: t('place.movedPages'), as: 'count', canSort: true, isHidden: true },
    { id: 'exchangeShare', label: t('place.figure.exchangeShare'), as: 'percent', canSort: true },
    { id: 'imbalance', label: t('place.figure.imbalance'), as: 'percent', canSort: true },
  ]
}

interface Asked {
  one?: string
  other?: string
}

/** Which two stands in the address: a link shows the same comparison. */
function Compare() {
  const { t } = useTranslation()
  const { data } = useStation(['epochs', 'all'], 'GET /place/epochs', {
    query: { sort: '-epoch', limit: CHOSEN_FROM },
    refetchInterval: EVERY_MS,
  })
  const epochs = (data?.rows ?? []).map(({ epoch }) => epoch)
  const { one: askedOne, other: askedOther } = useSearch({ strict: false }) as Asked
  if (epochs.length < 2) return null
  const find = (asked: string | undefined, place: number): number =>
    epochs.find((epoch) => String(epoch) === String(asked)) ?? epochs[place]!
  const [one, other] = [find(askedOne, 1), find(askedOther, 0)]
  return (
    <section className="card">
      <h2>{t('place.compare')}</h2>
      <div className="choice">
        <EpochChoice name="one" label={t('place.before')} chosen={one} epochs={epochs} />
        <EpochChoice name="other" label={t('place.after')} chosen={other} epochs={epochs} />
      </div>
      <Differences one={one} other={other} />
    </section>
  )
}

function Differences(props: { one: number; other: number }) {
  const [one, other] = [useEpoch(props.one), useEpoch(props.other)]
  return (
    <Loaded query={one}>
      {(before) => (
        <Loaded query={other}>{(after) => <DifferenceTables one={before} other={after} />}</Loaded>
      )}
    </Loaded>
  )
}

function DifferenceTables({ one, other }: { one: PlacementEpoch; other: PlacementEpoch }) {
  const { t } = useTranslation()
  const nameOf = useDeviceNames()
  const format = useFormat()
  return (
    <>
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
        fileName="hosts-by-agent"
        columns={[
          {
            label: t('place.agent'),
            isAddress: true,
            value: ({ device }) => nameOf(device),
            cell: ({ device }) => nameOf(device),
          },
          {
            label: t('place.before'),
            isNumber: true,
            value: ({ before }) => before,
            cell: ({ before }) => format.count(before),
          },
          {
            label: t('place.after'),
            isNumber: true,
            value: ({ after }) => after,
            cell: ({ after }) => format.count(after),
          },
        ]}
      />
    </>
  )
}

interface EpochChoiceProps {
  name: 'one' | 'other'
  label: string
  chosen: number
  epochs: readonly number[]
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
      <select value={chosen} onChange={(event) => choose(event.target.value)}>
        {epochs.map((epoch) => (
          <option key={epoch} value={epoch}>
            {t('place.epochNo', { epoch })}
          </option>
        ))}
      </select>
    </label>
  )
}
