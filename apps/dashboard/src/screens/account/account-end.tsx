/** What the station stores about a person, to take along, and the end of the account. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiFailure } from '../../api/call.ts'
import { deleteOwnAccount } from '../../api/people.ts'
import { ChangeForm, OwnPassword } from '../../components/change-form.tsx'
import { DownloadLink } from '../../components/download-link.tsx'
import { Field } from '../../components/field.tsx'

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
  return (
    <details>
      <summary>{t('accountEnd.delete')}</summary>
      <p>{t('accountEnd.deleteText')}</p>
      <ChangeForm change={go} isFilled={password !== ''} label={t('accountEnd.deleteYes')}>
        <OwnPassword value={password} onChange={setPassword} />
        {needsCode ? (
          <Field
            label={t('factor.anyCode')}
            value={code}
            onChange={setCode}
            autoComplete="one-time-code"
          />
        ) : null}
      </ChangeForm>
    </details>
  )
}
