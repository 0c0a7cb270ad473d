import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { FLAG_EFFECTS } from '../../api/abuse.ts'
import type { FlagEffect, FlagState, FlagView } from '@minga/protocol'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'

/** What an operator makes of a flag, and what it does from then on. */
export function FlagForm({ flag, onDecided }: { flag: FlagView; onDecided: () => void }) {
  const { t } = useTranslation()
  const [effect, setEffect] = useState<FlagEffect>(flag.effect)
  const [note, setNote] = useState(flag.note ?? '')
  const decide = useChange(
    async (state: FlagState) => {
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
      <label className="choice">
        <b>{t('abuse.effectLabel')}</b>
        <select value={effect} onChange={(event) => setEffect(event.target.value as FlagEffect)}>
          {FLAG_EFFECTS.map((one) => (
            <option key={one} value={one}>
              {t(`abuse.effect.${one}`)}
            </option>
          ))}
        </select>
      </label>
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
