/** What is out with a device now. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { DeviceRow } from '../../api/api-types.ts'
import { readDeviceWork } from '../../api/devices.ts'
import { Ago } from '../../parts/ago.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useFormat } from '../../parts/use-format.ts'

const EVERY_MS = 3_000
const SHOWN = 12

export function DeviceWork({ device }: { device: DeviceRow }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useQuery({
    queryKey: ['device', device.id, 'work'],
    queryFn: () => readDeviceWork(device.id),
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
            <DataTable
              caption={t('fleet.items')}
              rows={items.slice(0, SHOWN).map((item, no) => ({ ...item, no }))}
              keyOf={({ no }) => no}
              columns={[
                {
                  label: t('captures.page'),
                  isAddress: true,
                  cell: ({ url, host }) => url ?? `${host}/robots.txt`,
                },
                {
                  label: t('fleet.lease'),
                  isNumber: true,
                  cell: ({ openedAt }) => <Ago at={openedAt} />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </section>
  )
}
