/** What is out with a device now. */
import type { DeviceItem } from '@minga/protocol'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import type { ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import type { SeenDevice } from '../../api/station-api.ts'

const EVERY_MS = 3_000

export function DeviceWork({ device }: { device: SeenDevice }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useStation(['device', device.id, 'work'], 'GET /devices/{id}/work', {
    params: { id: device.id },
    refetchInterval: EVERY_MS,
  })
  const { lease } = device
  return (
    <section className="card">
      <h2>{t('fleet.items')}</h2>
      {lease === null ? null : (
        <p className="quiet">
          {t('fleet.inHand', {
            count: lease.requests,
            number: format.count(lease.requests),
            deadline: format.moment(lease.deadline),
          })}
        </p>
      )}
      <Loaded query={query}>
        {(items) =>
          items.length === 0 ? (
            <p className="quiet">{t('fleet.noItems')}</p>
          ) : (
            <Items items={items} />
          )
        }
      </Loaded>
    </section>
  )
}

/** Several may be for one address: their place is all that tells them apart. */
function Items({ items }: { items: readonly DeviceItem[] }) {
  const { t } = useTranslation()
  const rows = useMemo(() => items.map((item, no) => ({ ...item, no })), [items])
  const columns: ListColumn<DeviceItem & { no: number }>[] = [
    {
      id: 'url',
      label: t('captures.page'),
      as: 'text',
      value: ({ url, host }) => url ?? `${host}/robots.txt`,
      isAddress: true,
    },
    { id: 'openedAt', label: t('fleet.lease'), as: 'ago', isNumber: true },
  ]
  return (
    <List
      name="work"
      caption={t('fleet.items')}
      columns={columns}
      rows={{ data: rows, error: null }}
      keyOf={({ no }) => no}
      fileName="in-hand"
      isBoxed
      empty={null}
    />
  )
}
