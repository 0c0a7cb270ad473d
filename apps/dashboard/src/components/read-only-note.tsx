import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { keyInText } from '../api/key.ts'
import { useKey } from '../auth/use-key.ts'
import { useMe } from '../auth/use-me.ts'
import { Field } from './field.tsx'

export function ReadOnlyNote() {
  const { t } = useTranslation()
  const { me, isKnown, may } = useMe()
  if (!isKnown || may('collections:write')) return null
  return (
    <aside className="banner info" aria-label={t('readOnly.title')}>
      <b>{t('readOnly.title')}.</b>{' '}
      {me === null ? `${t('readOnly.text')} ${t('readOnly.lost')}` : t('readOnly.account')}
      {me === null ? <KeyForm /> : null}
    </aside>
  )
}

function KeyForm() {
  const { t } = useTranslation()
  const keep = useKey()
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    const key = keyInText(text)
    setWrong(key === null)
    if (key !== null) void keep(key)
  }
  return (
    <Form onSubmit={send} validationBehavior="aria" className="form">
      <Field
        label={t('key.paste')}
        value={text}
        onChange={setText}
        type="password"
        problem={isWrong ? t('key.notOne') : undefined}
      />
      <Button type="submit">{t('key.use')}</Button>
    </Form>
  )
}
