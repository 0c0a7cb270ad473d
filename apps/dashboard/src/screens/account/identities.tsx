/** The issuer by which an account logs in as well. */
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Field } from '../../components/field.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { beginLink } from '../../api/oidc.ts'
import { ChangeForm, ownPassword } from '../../components/change-form.tsx'
import { Failure } from '../../components/failure.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'

const TOUCHED = ['identities']

export function Identities({ label }: { label: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const query = useStation(TOUCHED, 'GET /me/identities')
  const unlink = useChange(
    (id: string) => station('DELETE /me/identities/{id}', { params: { id } }),
    TOUCHED,
  )
  return (
    <section className="card">
      <h2>{t('oidc.title', { label })}</h2>
      <Loaded query={query}>
        {(identities) =>
          identities.length === 0 ? (
            <Linking label={label} />
          ) : (
            <ul>
              {identities.map(({ id, issuer, createdAt }) => (
                <li key={id}>
                  {t('oidc.linked', { issuer, time: format.moment(createdAt) })}{' '}
                  <Button isDisabled={unlink.isPending} onPress={() => unlink.mutate(id)}>
                    {t('oidc.unlink')}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Failure error={unlink.error} />
    </section>
  )
}

function Linking({ label }: { label: string }) {
  const { t } = useTranslation()
  const [password, setPassword] = useState('')
  const begin = useChange(() => beginLink(password), [])
  return (
    <>
      <p>{t('oidc.lead', { label })}</p>
      <ChangeForm change={begin} isFilled={password !== ''} label={t('oidc.link')}>
        <Field {...ownPassword(t)} value={password} onChange={setPassword} />
      </ChangeForm>
    </>
  )
}
