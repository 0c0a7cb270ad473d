/** The station's list of topics, for those who answer for its policies. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WatchCategoryView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { categoryName } from './watch-words.ts'

const TOUCHED = ['watch-categories', 'watches']

export function WatchCategories({ categories }: { categories: readonly WatchCategoryView[] }) {
  const { t } = useTranslation()
  const columns = useColumns(categories)
  return (
    <section className="card">
      <details>
        <summary>
          <h2>{t('watch.categories')}</h2>
        </summary>
        <p className="quiet">{t('watch.categoriesLead')}</p>
        <NameCategory categories={categories} />
        <DataTable
          caption={t('watch.categories')}
          columns={columns}
          rows={categories}
          keyOf={({ code }) => code}
        />
      </details>
    </section>
  )
}

/** A code that is there gets the name; one that is not becomes a category. */
function NameCategory({ categories }: { categories: readonly WatchCategoryView[] }) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const [name, setName] = useState('')
  const isKnown = categories.some((category) => String(category.code) === code.trim())
  const isComplete = /^\d{1,6}$/.test(code.trim()) && name.trim() !== ''
  const change = useChange(async () => {
    const body = { code: Number(code), name: name.trim() }
    await (isKnown
      ? station('PATCH /watches/categories/{code}', {
          params: { code: body.code },
          body: { name: body.name },
        })
      : station('POST /watches/categories', { body }))
    setName('')
  }, TOUCHED)
  return (
    <ChangeForm
      change={change}
      isFilled={isComplete}
      label={t(isKnown ? 'watch.renameCategory' : 'watch.addCategory')}
      isPrimary
      isWaiting
      isInline
    >
      <Field label={t('watch.code')} value={code} onChange={setCode} inputMode="numeric" isShort />
      <Field label={t('people.name')} value={name} onChange={setName} isShort />
    </ChangeForm>
  )
}

function useColumns(categories: readonly WatchCategoryView[]): Column<WatchCategoryView>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    { label: t('watch.code'), cell: ({ code }) => code },
    { label: t('people.name'), cell: ({ code }) => categoryName(t, categories, code) },
    { label: t('watch.title'), isNumber: true, cell: ({ watches }) => format.count(watches) },
    { label: t('join.change'), cell: (category) => <Remove {...category} /> },
  ]
}

function Remove({ code, name, watches }: WatchCategoryView) {
  const { t } = useTranslation()
  const change = useChange(
    () => station('DELETE /watches/categories/{code}', { params: { code } }),
    TOUCHED,
  )
  return (
    <>
      <ConfirmButton
        label={t('watch.removeCategory')}
        title={t('watch.removeCategoryTitle', { name })}
        text={t('watch.removeCategoryText')}
        isDisabled={watches > 0}
        onConfirm={() => change.mutate(undefined)}
      />
      <Failure error={change.error} />
    </>
  )
}
