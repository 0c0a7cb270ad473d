/** Who reads a collection, for those whose it is. */
import type { Sharing, Visibility } from '@minga/protocol'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Radios } from '../../components/choice.tsx'
import { ChangeForm } from '../../components/change-form.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import type { Collection } from '../../api/api-types.ts'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'

/** From few readers to many. */
const VISIBILITIES = ['private', 'shared', 'public'] as const satisfies Visibility[]

export function CollectionSharing({ collection: { id, owner } }: { collection: Collection }) {
  const { t } = useTranslation()
  const { me, may } = useMe()
  const isTheirs = me?.account.roles.includes('operator') || me?.account.id === owner
  const isAsked = may('collections:write') && isTheirs
  const { data } = useStation(['sharing', id], 'GET /collections/{id}/sharing', {
    params: { id },
    enabled: isAsked,
  })
  if (!isAsked || data === undefined) return null
  return (
    <section className="card">
      <h2>{t('sharing.title')}</h2>
      <SharingForm key={JSON.stringify(data)} id={id} sharing={data} />
    </section>
  )
}

function SharingForm({ id, sharing }: { id: number; sharing: Sharing }) {
  const { t } = useTranslation()
  const [visibility, setVisibility] = useState(sharing.visibility)
  const [names, setNames] = useState(sharing.sharedWith.join(', '))
  const sharedWith = names.split(',').flatMap((name) => name.trim() || [])
  const save = useChange(
    () =>
      station('PATCH /collections/{id}/sharing', {
        params: { id },
        body: { visibility, sharedWith },
      }),
    ['sharing'],
  )
  const isSame =
    visibility === sharing.visibility && sharedWith.join() === sharing.sharedWith.join()
  return (
    <ChangeForm
      change={save}
      isFilled={!isSame}
      label={t('sharing.save')}
      isPrimary
      isWaiting
      title={t('sharing.refused')}
    >
      <Radios
        label={t('sharing.visibility')}
        value={visibility}
        onChange={(value) => setVisibility(VISIBILITIES.find((one) => one === value) ?? visibility)}
        options={VISIBILITIES.map((each) => [each, t(`sharing.${each}`)])}
      />
      <Field
        label={t('sharing.with')}
        value={names}
        onChange={setNames}
        help={t('sharing.withHelp')}
      />
    </ChangeForm>
  )
}
