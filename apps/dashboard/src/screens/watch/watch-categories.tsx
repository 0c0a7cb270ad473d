/** The station's list of topics, for those who answer for its policies. */
import { useState, type FormEvent } from 'react'
import { Button, Form } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { WatchCategoryView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { DataTable, type Column } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { Field } from '../../components/field.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'
import { categoryName } from './watch-words.ts'

const TOUCHED = ['watch-categories', 'watches']

interface Entry {
  code: number
  name: string
}

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
  const change = useChange(async (entry: Entry) => {
    await (isKnown
      ? station('PATCH /watches/categories/{code}', {
          params: { code: entry.code },
          body: { name: entry.name },
        })
      : station('POST /watches/categories', { body: entry }))
    setName('')
  }, TOUCHED)
  const isComplete = /^\d{1,6}$/.test(code.trim()) && name.trim() !== ''
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete) change.mutate({ code: Number(code), name: name.trim() })
  }
  return (
    <Form onSubmit={send} validationBehavior="aria" className="form inline">
      <Field label={t('watch.code')} value={code} onChange={setCode} inputMode="numeric" isShort />
      <Field label={t('people.name')} value={name} onChange={setName} isShort />
      <Button type="submit" className="primary" isDisabled={!isComplete || change.isPending}>
        {t(isKnown ? 'watch.renameCategory' : 'watch.addCategory')}
      </Button>
      <Failure error={change.error} />
    </Form>
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
