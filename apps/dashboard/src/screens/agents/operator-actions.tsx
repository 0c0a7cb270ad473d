/** What an operator asks of a device and tells its owner, and how it is judged. */
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { FieldForm } from '../../components/field-form.tsx'
import { useChange } from '../../components/use-change.ts'
import type { SeenDevice } from '../../api/station-api.ts'

type Judgement = 'block' | 'expel' | 'release'

const TOUCHED = ['device', 'devices', 'trust', 'fleet-map']

export function OperatorActions({ device }: { device: SeenDevice }) {
  const { t } = useTranslation()
  return (
    <section className="card" aria-label={t('judge.title')}>
      <h2>{t('judge.title')}</h2>
      <div className="actions" role="group" aria-label={t('judge.title')}>
        <Drain device={device} />
        <Judgements device={device} />
      </div>
      <Message key={device.id} device={device} />
    </section>
  )
}

function Drain({ device: { id, drainedAt, state } }: { device: SeenDevice }) {
  const { t } = useTranslation()
  const change = useChange(
    (verb: 'drain' | 'undrain') =>
      station(`POST /devices/{id}/${verb}`, { params: { id }, body: { note: null } }),
    TOUCHED,
  )
  if (state === 'revoked') return null
  return (
    <>
      {drainedAt === null ? (
        <Button isDisabled={change.isPending} onPress={() => change.mutate('drain')}>
          {t('drain.drain')}
        </Button>
      ) : (
        <Button
          className="primary"
          isDisabled={change.isPending}
          onPress={() => change.mutate('undrain')}
        >
          {t('drain.undrain')}
        </Button>
      )}
      <Failure error={change.error} />
    </>
  )
}

function Judgements({ device }: { device: SeenDevice }) {
  const { t } = useTranslation()
  const judge = useChange(
    ({ verb, note }: { verb: Judgement; note: string }) =>
      station(`POST /devices/{id}/${verb}`, {
        params: { id: device.id },
        body: { note: note === '' ? null : note },
      }),
    TOUCHED,
  )
  const isStopped = (device.trust?.standing.state ?? 'active') !== 'active'
  const verbs: Judgement[] = isStopped ? ['release', 'expel'] : ['block', 'expel']
  return (
    <>
      {verbs.map((verb) => (
        <ConfirmButton
          key={verb}
          label={t(`judge.${verb}`)}
          title={t(`judge.${verb}Title`)}
          text={t(`judge.${verb}Text`)}
          noteLabel={t('judge.note')}
          isDanger={verb !== 'release'}
          isDisabled={device.trust === null}
          onConfirm={(note) => judge.mutate({ verb, note })}
        />
      ))}
      <Failure error={judge.error} />
    </>
  )
}

/** As long as a note on a door. */
const MESSAGE_CHARACTERS_MAX = 1_000

function Message({ device: { id, message } }: { device: SeenDevice }) {
  const { t } = useTranslation()
  const tell = (text: string) =>
    station('POST /devices/{id}/message', { params: { id }, body: { text } })
  const takeBack = useChange(() => tell(''), TOUCHED)
  return (
    <FieldForm
      fields={[{ name: 'text', label: t('tell.label'), rows: 2, help: t('tell.help') }]}
      send={(text) => tell(text('text').slice(0, MESSAGE_CHARACTERS_MAX))}
      touched={TOUCHED}
      label={t('tell.send')}
      error={takeBack.error}
      more={
        message === null ? null : (
          <Button
            className="plain"
            isDisabled={takeBack.isPending}
            onPress={() => takeBack.mutate(undefined)}
          >
            {t('tell.takeBack')}
          </Button>
        )
      }
    />
  )
}
