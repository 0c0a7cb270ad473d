/** Categories of hosts: an operator's own lists, denied as a whole or kept for later. */
import { useTranslation } from 'react-i18next'
import { FieldForm } from '../../components/field-form.tsx'
import { useStation } from '../../api/use-station.ts'
import { station } from '../../api/station.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Failure } from '../../components/failure.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { ListCard } from '../../components/list/list.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { useChange } from '../../components/use-change.ts'
import { useMe } from '../../auth/use-me.ts'
import type { Category } from '../../api/station-api.ts'

export function CategoryList() {
  const { t } = useTranslation()
  const { may } = useMe()
  const query = useStation(['categories'], 'GET /abuse/categories')
  const columns = useColumns()
  return (
    <ListCard
      name="categories"
      caption={t('category.title')}
      lead={t('category.lead')}
      columns={columns}
      rows={query}
      keyOf={({ name }) => name}
      firstSort="name"
      fileName="categories"
      empty={<EmptyState title={t('category.none')} />}
    >
      {may('abuse:write') ? <AddHosts /> : null}
    </ListCard>
  )
}

function useColumns(): ListColumn<Category>[] {
  const { t } = useTranslation()
  const { may } = useMe()
  const stateOf = ({ isDenied }: Category): string => t(isDenied ? 'deny.denied' : 'category.off')
  const columns: ListColumn<Category>[] = [
    { id: 'name', label: t('category.name'), isAddress: true, cell: ({ name }) => <b>{name}</b> },
    {
      id: 'state',
      label: t('device.stateLabel'),
      cell: (category) => (
        <StatusBadge kind={category.isDenied ? 'bad' : 'quiet'} text={stateOf(category)} />
      ),
      value: ({ isDenied }) => isDenied,
      filter: {
        kind: 'choice',
        choices: [
          { value: 'true', label: t('deny.denied') },
          { value: 'false', label: t('category.off') },
        ],
      },
    },
    { id: 'hosts', label: t('category.hosts'), as: 'count' },
    { id: 'reason', label: t('config.why'), as: 'text', isAddress: true },
    { id: 'changedBy', label: t('config.who'), as: 'text', isAddress: true },
  ]
  if (!may('abuse:write')) return columns
  return [
    ...columns,
    { id: 'change', label: t('join.change'), content: (category) => <Switch {...category} /> },
  ]
}

function Switch({ name, isDenied }: Category) {
  const { t } = useTranslation()
  const change = useChange(
    (reason: string) =>
      station('PATCH /abuse/categories/{name}', {
        params: { name },
        body: { isDenied: !isDenied, add: [], reason },
      }),
    ['categories'],
  )
  const label = t(isDenied ? 'category.lift' : 'deny.deny')
  return (
    <>
      <ConfirmButton
        label={label}
        title={t(isDenied ? 'category.liftTitle' : 'category.denyTitle', { name })}
        text={t(isDenied ? 'category.liftText' : 'category.denyText')}
        noteLabel={t('config.why')}
        isDanger={!isDenied}
        onConfirm={(note) => change.mutate(note === '' ? label : note)}
      />
      <Failure error={change.error} />
    </>
  )
}

function AddHosts() {
  const { t } = useTranslation()
  return (
    <FieldForm
      fields={[
        { name: 'name', label: t('category.name'), isShort: true, isKept: true },
        { name: 'hosts', label: t('category.add'), rows: 2 },
        { name: 'reason', label: t('config.why'), isKept: true },
      ]}
      send={(text) =>
        station('PATCH /abuse/categories/{name}', {
          params: { name: text('name') },
          body: { isDenied: null, add: text('hosts').split(/\s+/), reason: text('reason') },
        })
      }
      touched={['categories']}
      label={t('category.addButton')}
      isPrimary
      isWaiting
      isInline
    />
  )
}
