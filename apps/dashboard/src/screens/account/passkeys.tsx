/** The passkeys of an account: by one of them its owner logs in without a name and a password. */
import type { PasskeyView } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { FieldForm } from '../../components/field-form.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { addPasskey } from '../../api/passkeys.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { ownPassword } from '../../components/change-form.tsx'
import { Failure } from '../../components/failure.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { List } from '../../components/list/list.tsx'
import { useChange } from '../../components/use-change.ts'

const TOUCHED = ['passkeys']

export function Passkeys() {
  const { t } = useTranslation()
  const query = useStation(TOUCHED, 'GET /me/passkeys')
  const columns = useColumns()
  return (
    <section className="card">
      <h2>{t('passkeys.title')}</h2>
      <p className="quiet">{t('passkeys.lead')}</p>
      <List
        name="passkeys"
        caption={t('passkeys.title')}
        columns={columns}
        rows={query}
        searchLabel={null}
        fileName="passkeys"
        empty={<p className="quiet">{t('passkeys.none')}</p>}
      />
      <NewPasskey />
    </section>
  )
}

function useColumns(): ListColumn<PasskeyView>[] {
  const { t } = useTranslation()
  return [
    { id: 'name', label: t('passkeys.name'), isAddress: true, cell: ({ name }) => <b>{name}</b> },
    { id: 'createdAt', label: t('passkeys.since'), as: 'moment' },
    { id: 'usedAt', label: t('passkeys.used'), as: 'ago' },
    { id: 'change', label: t('join.change'), content: (passkey) => <Remove passkey={passkey} /> },
  ]
}

function Remove({ passkey }: { passkey: PasskeyView }) {
  const { t } = useTranslation()
  const remove = useChange(
    (id: string) => station('DELETE /me/passkeys/{id}', { params: { id } }),
    TOUCHED,
  )
  return (
    <>
      <ConfirmButton
        label={t('passkeys.remove')}
        title={t('passkeys.removeTitle', { name: passkey.name })}
        text={t('passkeys.removeText')}
        onConfirm={() => remove.mutate(passkey.id)}
      />
      <Failure error={remove.error} />
    </>
  )
}

function NewPasskey() {
  const { t } = useTranslation()
  return (
    <FieldForm
      fields={[
        { name: 'name', label: t('passkeys.newName'), help: t('passkeys.nameHelp') },
        { name: 'password', ...ownPassword(t) },
      ]}
      send={(text) => addPasskey({ name: text('name'), password: text('password') })}
      touched={TOUCHED}
      label={t('passkeys.add')}
      isPrimary
    />
  )
}
