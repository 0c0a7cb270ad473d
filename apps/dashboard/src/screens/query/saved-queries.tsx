/** Saved queries: opened, copied, removed and restored. */
import { Link } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { SavedView } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import { type ListColumn, choiceOf } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { tellWithWayBack } from '../../components/frame/toast-store.ts'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'
import { fragmentOf } from './sql-words.ts'

export function SavedQueries() {
  const { t } = useTranslation()
  const saved = useStation(['saved', 'list'], 'GET /saved-queries')
  const back = useChange(
    (id: number) => station('POST /saved-queries/{id}/restore', { params: { id }, body: {} }),
    ['saved'],
  )
  const columns = useColumns(({ id, name }) =>
    tellWithWayBack(t('query.removed', { name }), () => back.mutate(id)),
  )
  return (
    <ListCard
      name="saved"
      caption={t('query.saved')}
      columns={columns}
      rows={saved}
      firstSort="-editedAt"
      fileName="saved-queries"
      empty={
        <EmptyState title={t('query.savedNone')} text={t('query.savedNoneText')}>
          <Link to="/sql" className="button">
            {t('query.writeSql')}
          </Link>
        </EmptyState>
      }
    >
      <Failure error={back.error} />
    </ListCard>
  )
}

function useColumns(onRemoved: (saved: SavedView) => void): ListColumn<SavedView>[] {
  const { t } = useTranslation()
  const { may } = useMe()
  return [
    {
      id: 'name',
      label: t('people.name'),
      isAddress: true,
      cell: (saved) => <SavedLink saved={saved} />,
    },
    {
      id: 'kind',
      label: t('query.kindLabel'),
      cell: ({ kind }) => t(`query.savedKind.${kind}`),
      filter: choiceOf(['query', 'sql'] as const, (value) => t(`query.savedKind.${value}`)),
    },
    { id: 'editedAt', label: t('query.edited'), as: 'ago', isNumber: true },
    ...(may('queries:run')
      ? [
          {
            id: 'actions',
            label: t('query.acts'),
            content: (saved: SavedView) => <SavedActs saved={saved} onRemoved={onRemoved} />,
          },
        ]
      : []),
  ]
}

function SavedLink({ saved }: { saved: SavedView }) {
  const { id, kind, name, text } = saved
  if (kind === 'sql') {
    return (
      <Link to="/sql" search={{ saved: String(id) } as never} hash={fragmentOf(text)}>
        {name}
      </Link>
    )
  }
  return (
    <Link to="/queries/new" search={{ saved: String(id) } as never}>
      {name}
    </Link>
  )
}

function SavedActs({
  saved,
  onRemoved,
}: {
  saved: SavedView
  onRemoved: (one: SavedView) => void
}) {
  const { t } = useTranslation()
  const { kind, name, text } = saved
  const copy = useChange(
    () =>
      station('POST /saved-queries', {
        body: { kind, name: t('query.copyOf', { name }).slice(0, 200), text },
      }),
    ['saved'],
  )
  const remove = useChange(
    async () =>
      onRemoved(await station('DELETE /saved-queries/{id}', { params: { id: saved.id } })),
    ['saved'],
  )
  return (
    <div className="row-acts">
      <Button aria-label={t('query.duplicateOne', { name })} onPress={() => copy.mutate(undefined)}>
        {t('query.duplicate')}
      </Button>
      <Button
        className="danger"
        aria-label={t('query.removeOne', { name })}
        onPress={() => remove.mutate(undefined)}
      >
        {t('query.remove')}
      </Button>
      <Failure error={copy.error ?? remove.error} />
    </div>
  )
}
