/** The e-mail address of an account: by it its owner gets back in without an operator. */
import type { Me } from '@minga/protocol'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { station } from '../../api/station.ts'
import { requestEmail } from '../../api/people.ts'
import { OwnPassword } from '../../components/change-form.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'

export function EmailCard({ me }: { me: Me }) {
  const { t, i18n } = useTranslation()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const remove = useChange(() => station('DELETE /me/email'), ['me'])
  const request = useChange(async () => {
    await requestEmail({ email: email.trim(), password, language: i18n.language })
    setPassword('')
    return email.trim()
  }, ['me'])
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (email.trim() !== '' && password !== '') request.mutate(undefined)
  }
  return (
    <section className="card">
      <h2>{t('email.title')}</h2>
      <p>{me.email === null ? t('email.none') : t('email.confirmed', { email: me.email })}</p>
      <Form onSubmit={send} validationBehavior="aria" className="form">
        <Field label={t('email.address')} value={email} onChange={setEmail} autoComplete="email" />
        <OwnPassword value={password} onChange={setPassword} />
        <Failure error={request.error ?? remove.error} />
        <div className="actions">
          <Button type="submit" className="primary" isDisabled={request.isPending}>
            {t('email.send')}
          </Button>
          {me.email === null ? null : (
            <Button isDisabled={remove.isPending} onPress={() => remove.mutate(undefined)}>
              {t('email.remove')}
            </Button>
          )}
          <span role="status" className="quiet">
            {request.isSuccess ? t('email.sent', { email: request.data }) : ''}
          </span>
        </div>
      </Form>
    </section>
  )
}
