/** One flag with its evidence, and what is made of it. */
import { useState } from 'react'
import { Button, Dialog, DialogTrigger, Heading } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Select } from '../../components/choice.tsx'
import { useChange } from '../../components/use-change.ts'
import { Field } from '../../components/field.tsx'
import { Failure } from '../../components/failure.tsx'
import { station } from '../../api/station.ts'
import { FiguresList } from '../../components/figures-list.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useMe } from '../../auth/use-me.ts'
import type { Flag } from '../../api/station-api.ts'
import { Overlay } from '../../components/overlay.tsx'

export const FLAG_EFFECTS = ['notify', 'hold', 'cut'] as const satisfies readonly Flag['effect'][]

export function FlagButton({ flag }: { flag: Flag }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const { client, kind, note, decidedBy } = flag
  const title = `${t(`abuse.kind.${kind}`)} · ${client}`
  return (
    <DialogTrigger>
      <Button aria-label={t('abuse.lookAt', { flag: title })}>{t('abuse.look')}</Button>
      <Overlay look="wide">
        <Dialog>
          {({ close }) => (
            <>
              <Heading slot="title">{title}</Heading>
              <Evidence flag={flag} />
              {note === null ? null : (
                <p>
                  “{note}” <span className="quiet">{decidedBy}</span>
                </p>
              )}
              {may('abuse:write') ? <FlagForm flag={flag} onDecided={close} /> : null}
              <div className="actions">
                <Button onPress={close}>{t('close')}</Button>
              </div>
            </>
          )}
        </Dialog>
      </Overlay>
    </DialogTrigger>
  )
}

/** Addresses of an attacker are text here, never links. */
function Evidence({ flag: { evidence, samples, effect } }: { flag: Flag }) {
  const { t } = useTranslation()
  const format = useFormat()
  const figures = Object.entries(evidence).map(([label, value]) => ({
    label,
    value: typeof value === 'number' ? format.count(value) : value,
  }))
  return (
    <>
      <FiguresList
        figures={[
          ...figures,
          { label: t('abuse.effectLabel'), value: t(`abuse.effect.${effect}`) },
        ]}
      />
      {samples.length === 0 ? null : (
        <details open>
          <summary>{t('abuse.samples', { count: samples.length })}</summary>
          <ul className="log">
            {samples.map((sample) => (
              <li key={sample}>
                <code>{sample}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** What an operator makes of a flag, and what it does from then on. */
function FlagForm({ flag, onDecided }: { flag: Flag; onDecided: () => void }) {
  const { t } = useTranslation()
  const [effect, setEffect] = useState<Flag['effect']>(flag.effect)
  const [note, setNote] = useState(flag.note ?? '')
  const decide = useChange(
    async (state: Flag['state']) => {
      await station('PATCH /abuse/flags/{id}', {
        params: { id: flag.id },
        body: { state, effect, note: note.trim() === '' ? null : note.trim() },
      })
      onDecided()
    },
    ['flags'],
  )
  return (
    <div className="form inline">
      <Select
        label={t('abuse.effectLabel')}
        value={effect}
        onChange={setEffect}
        options={FLAG_EFFECTS.map((one) => [one, t(`abuse.effect.${one}`)])}
      />
      <Field label={t('accounts.note')} value={note} onChange={setNote} />
      <Button
        className="danger"
        isDisabled={decide.isPending}
        onPress={() => decide.mutate('confirmed')}
      >
        {t('abuse.decide.confirmed')}
      </Button>
      <Button isDisabled={decide.isPending} onPress={() => decide.mutate('dismissed')}>
        {t('abuse.decide.dismissed')}
      </Button>
      <Failure error={decide.error} />
    </div>
  )
}
