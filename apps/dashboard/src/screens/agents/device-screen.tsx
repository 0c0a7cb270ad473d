import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useStation } from '../../api/use-station.ts'
import { Ago } from '../../components/ago.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { permitted } from '../../auth/require-permission.tsx'
import { useMe } from '../../auth/use-me.ts'
import { DeviceActions } from './device-actions.tsx'
import { DeviceRequests, TrustLog } from './device-history.tsx'
import { errorsOfDevice } from './device-marks.ts'
import { DeviceRatesPlot } from './device-rates.tsx'
import { StandingMark, StateMark, WhyIdle } from './device-state.tsx'
import { DeviceWork } from './device-work.tsx'
import { OperatorActions } from './operator-actions.tsx'
import type { SeenDevice } from '../../api/station-api.ts'

const EVERY_MS = 3_000

export const DeviceScreen = permitted('devices:read', 'devices.title', Device)

function Device() {
  const { t } = useTranslation()
  const { may } = useMe()
  const { id = '' } = useParams({ strict: false })
  const query = useStation(['device', id], 'GET /devices/{id}', {
    params: { id },
    refetchInterval: EVERY_MS,
  })
  return (
    <>
      {query.data === undefined ? <h1 className="unseen">{t('nav.to.devices')}</h1> : null}
      <Loaded query={query}>
        {(device) => (
          <>
            <Summary device={device} />
            <div className="columns">
              <div>
                <DeviceRatesPlot id={id} />
                <DeviceWork device={device} />
              </div>
              <div>
                {may('devices:judge') ? <OperatorActions device={device} /> : null}
                <Trust device={device} />
                <Facts device={device} />
              </div>
            </div>
            <DeviceRequests id={id} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Summary({ device }: { device: SeenDevice }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { counters } = device
  return (
    <section className="card summary">
      <header>
        <div>
          <p className="quiet">
            <Link to="/devices">{t('nav.to.devices')}</Link> / {device.id}
          </p>
          <h1>{device.name}</h1>
        </div>
        <div>
          <StateMark device={device} />
          <WhyIdle device={device} />
        </div>
      </header>
      {device.message === null ? null : (
        <aside className="banner info" aria-label={t('tell.label')}>
          <b>{t('tell.shown')}:</b> {device.message.text}{' '}
          <span className="quiet">
            <Ago at={device.message.at} />
          </span>
        </aside>
      )}
      <FiguresList
        figures={[
          { label: '2xx', value: format.count(counters.n_2xx) },
          { label: '3xx', value: format.count(counters.n_3xx) },
          { label: '4xx', value: format.count(counters.n_4xx) },
          { label: '5xx', value: format.count(counters.n_5xx) },
          { label: t('device.errors'), value: format.count(errorsOfDevice(device)) },
          { label: t('figure.denied'), value: format.count(counters.denied) },
          { label: t('figure.bytes'), value: format.bytes(counters.bytes) },
          { label: t('device.busy'), value: format.span(counters.elapsed_ms) },
          { label: t('device.held'), value: format.money(device.heldMicros) },
        ]}
      />
      <DeviceActions device={device} />
    </section>
  )
}

function Trust({ device }: { device: SeenDevice }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { trust } = device
  return (
    <section className="card">
      <h2>{t('device.trust')}</h2>
      <StandingMark device={device} />
      {trust === null ? (
        <p className="quiet">{t('trust.none')}</p>
      ) : (
        <FiguresList
          figures={[
            { label: t('trust.honesty'), value: format.percent(trust.honesty) },
            { label: t('trust.audits'), value: format.percent(trust.auditProbability) },
            { label: t('trust.complaints'), value: format.count(trust.openComplaints) },
          ]}
        />
      )}
      <TrustLog id={device.id} />
    </section>
  )
}

function Facts({ device }: { device: SeenDevice }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { country, places } = device
  return (
    <section className="card">
      <h2>{t('device.facts')}</h2>
      <FiguresList
        figures={[
          { label: t('device.owner'), value: device.ownerName },
          { label: t('device.host'), value: device.hostName },
          { label: t('device.system'), value: `${device.os} ${device.osVersion}` },
          { label: t('device.software'), value: device.software },
          {
            label: t('device.country'),
            value: country === null ? t('figure.unknown') : format.country(country),
          },
          { label: t('device.enrolled'), value: format.moment(device.enrolledAt) },
          { label: t('device.seen'), value: format.moment(device.seenAt) },
        ]}
      />
      {places.length === 0 ? null : (
        <>
          <h3>{t('device.networks')}</h3>
          <ul>
            {places.map(({ networkPrefix, lastSeenAt }) => (
              <li key={networkPrefix}>
                <code>{networkPrefix}</code>{' '}
                <span className="quiet">{format.moment(lastSeenAt)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
