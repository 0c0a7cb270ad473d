/** Where people request a new password by mail, and where the link that confirms an address leads. */
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { ChangeForm } from '../../components/change-form.tsx'
import { station } from '../../api/station.ts'
import { requestReset } from '../../api/people.ts'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { takeToken } from './reset-screen.tsx'

export function ForgottenScreen() {
  const { t, i18n } = useTranslation()
  const [account, setAccount] = useState('')
  const request = useMutation({
    mutationFn: () => requestReset({ account: account.trim(), language: i18n.language }),
  })
  return (
    <section className="card narrow">
      <h1>{t('email.forgotten')}</h1>
      {request.isSuccess ? (
        <p role="status">{t('email.resetSent')}</p>
      ) : (
        <ChangeForm
          change={request}
          isFilled={account.trim() !== ''}
          label={t('email.requestReset')}
          isPrimary
          more={<Link to="/log-in">{t('people.logIn')}</Link>}
        >
          <Field
            label={t('email.account')}
            value={account}
            onChange={setAccount}
            autoComplete="username"
          />
        </ChangeForm>
      )}
    </section>
  )
}

/** By a button: programs that check mails open their links. */
export function ConfirmEmailScreen() {
  const { t } = useTranslation()
  const [token] = useState(takeToken)
  const confirm = useChange(() => station('POST /email/confirm', { body: { token } }), ['me'])
  return (
    <section className="card narrow">
      <h1>{t('email.confirmTitle')}</h1>
      {token === '' ? <p>{t('email.noToken')}</p> : null}
      {confirm.isSuccess ? (
        <p role="status">{t('email.done', confirm.data)}</p>
      ) : (
        <>
          <Failure error={confirm.error} />
          <div className="actions">
            <Button
              className="primary"
              isDisabled={token === '' || confirm.isPending}
              onPress={() => confirm.mutate(undefined)}
            >
              {t('email.confirm')}
            </Button>
          </div>
        </>
      )}
    </section>
  )
}
