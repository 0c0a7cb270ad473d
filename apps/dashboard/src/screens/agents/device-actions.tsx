/** What an owner does with a device. */
import { useNavigate } from '@tanstack/react-router'
import { Button, Checkbox } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { FieldForm } from '../../components/field-form.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'
import type { SeenDevice } from '../../api/station-api.ts'

type DeviceVerb = 'pause' | 'resume' | 'revoke'

const TOUCHED = ['device', 'devices', 'trust', 'fleet-map']

export function DeviceActions({ device }: { device: SeenDevice }) {
  const { may } = useMe()
  if (!may('devices:write')) return null
  return (
    <>
      <Rename key={device.id} device={device} />
      <Verbs device={device} />
      {device.isTrusted ? null : <TakesPart device={device} />}
    </>
  )
}

function Rename({ device }: { device: SeenDevice }) {
  const { t } = useTranslation()
  return (
    <FieldForm
      fields={[{ name: 'name', label: t('device.name'), first: device.name, isKept: true }]}
      send={(text) =>
        station('PATCH /devices/{id}', { params: { id: device.id }, body: { name: text('name') } })
      }
      touched={TOUCHED}
      label={t('device.rename')}
      isInline
    />
  )
}

/** The station's own devices take part without being asked. */
function TakesPart({ device: { id } }: { device: SeenDevice }) {
  const { t } = useTranslation()
  const { data, error } = useStation(['takes-part', id], 'GET /devices/{id}/load-tests', {
    params: { id },
  })
  const change = useChange(
    (takesPart: boolean) =>
      station('POST /devices/{id}/load-tests', { params: { id }, body: { takesPart } }),
    ['takes-part'],
  )
  return (
    <>
      <Checkbox
        isSelected={data?.takesPart ?? false}
        isDisabled={data === undefined || change.isPending}
        onChange={(takesPart) => change.mutate(takesPart)}
      >
        <span className="box" aria-hidden="true" />
        {t('device.takesPart')}
      </Checkbox>
      <p className="quiet">
        {t('device.takesPartHelp')} <code>--load-tests</code>
      </p>
      <Failure error={error ?? change.error} />
    </>
  )
}

function Verbs({ device }: { device: SeenDevice }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const change = useChange(
    (verb: DeviceVerb) =>
      station(`POST /devices/{id}/${verb}`, { params: { id: device.id }, body: {} }),
    TOUCHED,
  )
  const remove = useChange(async () => {
    await station('DELETE /devices/{id}', { params: { id: device.id } })
    await navigate({ to: '/devices' })
  }, ['devices'])
  return (
    <div className="actions">
      {device.state === 'active' ? (
        <Button onPress={() => change.mutate('pause')}>{t('device.pause')}</Button>
      ) : null}
      {device.state === 'paused' ? (
        <Button className="primary" onPress={() => change.mutate('resume')}>
          {t('device.resume')}
        </Button>
      ) : null}
      {device.state === 'revoked' ? null : (
        <ConfirmButton
          label={t('device.revoke')}
          title={t('device.revokeTitle')}
          text={t('device.revokeText')}
          onConfirm={() => change.mutate('revoke')}
        />
      )}
      <ConfirmButton
        label={t('device.delete')}
        title={t('device.deleteTitle')}
        text={t('device.deleteText')}
        onConfirm={() => remove.mutate(undefined)}
      />
      <Failure error={change.error ?? remove.error} />
    </div>
  )
}
