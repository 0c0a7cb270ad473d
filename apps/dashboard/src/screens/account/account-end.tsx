/** What the station stores about a person, to take along, and the end of the account. */
import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { ApiFailure } from '../../api/call.ts'
import { deleteOwnAccount } from '../../api/people.ts'
import { DownloadLink } from '../../parts/download-link.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'

export function AccountEnd() {
  const { t } = useTranslation()
  return (
    <section className="card">
      <h2>{t('accountEnd.title')}</h2>
      <p>{t('accountEnd.exportLead')}</p>
      <div className="actions">
        <DownloadLink path="/me/export" fileName="minga-account.json">
          {t('accountEnd.export')}
        </DownloadLink>
      </div>
      <Deletion />
    </section>
  )
}

function Deletion() {
  const { t } = useTranslation()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const go = useMutation({
    mutationFn: () => deleteOwnAccount(code.trim() === '' ? { password } : { password, code }),
    // A new page: nothing of what the person saw is left in this one.
    onSuccess: () => location.assign('/'),
  })
  const needsCode =
    code !== '' || (go.error instanceof ApiFailure && go.error.code.endsWith('_FACTOR_NEEDED'))
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (password !== '') go.mutate()
  }
  return (
    <details>
      <summary>{t('accountEnd.delete')}</summary>
      <p>{t('accountEnd.deleteText')}</p>
      <Form onSubmit={send} validationBehavior="aria" className="form">
        <Field
          label={t('account.yourPassword')}
          value={password}
          onChange={setPassword}
          type="password"
          autoComplete="current-password"
        />
        {needsCode ? (
          <Field
            label={t('factor.anyCode')}
            value={code}
            onChange={setCode}
            autoComplete="one-time-code"
          />
        ) : null}
        <Failure error={go.error} />
        <div className="actions">
          <Button type="submit" isDisabled={go.isPending}>
            {t('accountEnd.deleteYes')}
          </Button>
        </div>
      </Form>
    </details>
  )
}
