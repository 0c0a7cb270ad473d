import { useState, type FormEvent } from 'react'
import { Button, Form, Label, Radio, RadioGroup } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { makeKey, type MadeKey } from '../../api/people.ts'
import { CheckList } from '../../components/check-list.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'
import { EMPTY_KEY, keyAsked, LIFETIMES, scopesOffered } from './key-form.ts'

/** A key has the rights of the user who creates it, or fewer. */
export function NewKey({ onMade }: { onMade: (made: MadeKey) => void }) {
  const { t } = useTranslation()
  const { me } = useMe()
  const [form, setForm] = useState(EMPTY_KEY)
  const make = useChange(
    async (key: NonNullable<ReturnType<typeof keyAsked>>) => {
      onMade(await makeKey(key))
      setForm(EMPTY_KEY)
    },
    ['keys'],
  )
  const asked = keyAsked(form)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (asked !== null) make.mutate(asked)
  }
  return (
    <section className="card">
      <h2>{t('keys.new')}</h2>
      <Form onSubmit={send} validationBehavior="aria" className="form">
        <Field
          label={t('keys.name')}
          value={form.name}
          onChange={(name) => setForm({ ...form, name })}
          help={t('keys.nameHelp')}
        />
        <label className="choice">
          <b>{t('keys.lifetime')}</b>
          <select
            value={form.days}
            onChange={(event) => setForm({ ...form, days: event.target.value })}
          >
            {LIFETIMES.map((days) => (
              <option key={days} value={days}>
                {days === '' ? t('keys.noEnd') : t('leaders.days', { count: Number(days) })}
              </option>
            ))}
          </select>
        </label>
        <RadioGroup
          className="radios"
          value={form.isNarrow ? 'some' : 'all'}
          onChange={(choice) => setForm({ ...form, isNarrow: choice === 'some' })}
        >
          <Label>{t('keys.rights')}</Label>
          <Radio value="all">{t('keys.allRights')}</Radio>
          <Radio value="some">{t('keys.someRights')}</Radio>
        </RadioGroup>
        {form.isNarrow ? (
          <CheckList
            label={t('keys.scopes')}
            options={scopesOffered(me?.actions ?? []).map((action) => ({
              value: action,
              label: action,
            }))}
            chosen={form.scopes}
            onChange={(scopes) => setForm({ ...form, scopes })}
          />
        ) : null}
        <Failure error={make.error} />
        <div className="actions">
          <Button type="submit" className="primary" isDisabled={asked === null || make.isPending}>
            {t('keys.make')}
          </Button>
        </div>
      </Form>
    </section>
  )
}
