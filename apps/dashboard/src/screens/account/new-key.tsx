import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Select, Radios } from '../../components/choice.tsx'
import { makeKey, type MadeKey } from '../../api/people.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { CheckList } from '../../components/check-list.tsx'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'
import { EMPTY_KEY, keyAsked, LIFETIMES, scopesOffered } from './key-form.ts'

/** A key has the rights of the user who creates it, or fewer. */
export function NewKey({ onMade }: { onMade: (made: MadeKey) => void }) {
  const { t } = useTranslation()
  const { me } = useMe()
  const [form, setForm] = useState(EMPTY_KEY)
  const asked = keyAsked(form)
  const make = useChange(async () => {
    if (asked === null) return
    onMade(await makeKey(asked))
    setForm(EMPTY_KEY)
  }, ['keys'])
  return (
    <section className="card">
      <h2>{t('keys.new')}</h2>
      <ChangeForm
        change={make}
        isFilled={asked !== null}
        label={t('keys.make')}
        isPrimary
        isWaiting
      >
        <Field
          label={t('keys.name')}
          value={form.name}
          onChange={(name) => setForm({ ...form, name })}
          help={t('keys.nameHelp')}
        />
        <Select
          label={t('keys.lifetime')}
          value={form.days}
          onChange={(chosen) => setForm({ ...form, days: chosen })}
          options={LIFETIMES.map((days) => [
            days,
            days === '' ? t('keys.noEnd') : t('leaders.days', { count: Number(days) }),
          ])}
        />
        <Radios
          label={t('keys.rights')}
          value={form.isNarrow ? 'some' : 'all'}
          onChange={(choice) => setForm({ ...form, isNarrow: choice === 'some' })}
          options={[
            ['all', t('keys.allRights')],
            ['some', t('keys.someRights')],
          ]}
        />
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
      </ChangeForm>
    </section>
  )
}
