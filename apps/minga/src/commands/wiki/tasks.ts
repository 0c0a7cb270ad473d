/** `minga wiki update` and `minga wiki tasks`. */
import { isMingaError, type WikiTaskView } from '@minga/protocol'
import { openApi, type Api } from '../../api.ts'
import { BadOption } from '../../errors.ts'
import { warnAboutPrivateAddresses, type OwnStationOptions } from '../../options.ts'
import { requireArchive } from '../archive/folder.ts'
import { Output } from '../archive/output.ts'
import { addAndWait, addOnly } from './add.ts'
import { wikiPath, type WikiOptions } from './folder.ts'
import { titlesIn } from './text.ts'
import { withApi } from '../reach-api.ts'

export interface UpdateOptions extends OwnStationOptions {
  pages?: string
  wait?: boolean
  json?: boolean
}

/** Without a name every wiki that has an address is asked what is new. */
export async function update(wiki: string | undefined, options: UpdateOptions): Promise<number> {
  warnAboutPrivateAddresses(options.allowPrivateAddresses)
  requireArchive(options.data)
  const titles = options.pages === undefined ? {} : { titles: titlesIn(options.pages) }
  const ask = (api: Api, name: string): Promise<WikiTaskView> =>
    api.post<WikiTaskView>(wikiPath(name, '/update'), titles)
  const begin = async (api: Api): Promise<WikiTaskView[]> =>
    wiki === undefined ? askAll(api, (name) => ask(api, name)) : [await ask(api, wiki)]
  return options.wait ? addAndWait(begin, options) : addOnly(begin, options)
}

async function askAll(
  api: Api,
  ask: (wiki: string) => Promise<WikiTaskView>,
): Promise<WikiTaskView[]> {
  const { wikis } = await api.get<{ wikis: { wiki: string }[] }>('/wikis')
  const begun: WikiTaskView[] = []
  for (const { wiki } of wikis) {
    try {
      begun.push(await ask(wiki))
    } catch (error) {
      if (!isMingaError(error) || error.code !== 'MINGA_WIKI_WITHOUT_API') throw error
      process.stderr.write(`minga: ${error.message}\n`)
    }
  }
  return begun
}

const TASK_VERBS = ['cancel', 'retry'] as const

export async function tasks(
  verb: string | undefined,
  id: string | undefined,
  options: WikiOptions,
): Promise<number> {
  return withApi(openApi(requireArchive(options.data)), async (api) => {
    const shown =
      verb === undefined
        ? await api.get<WikiTaskView[]>('/wikis/tasks')
        : [await api.post<WikiTaskView>(`/wikis/tasks/${idIn(id)}/${verbIn(verb)}`, {})]
    const output = new Output()
    if (options.json) await output.write(`${JSON.stringify({ tasks: shown })}\n`)
    else for (const task of shown) await output.write(`${lineOf(task)}\n`)
    await output.end()
  })
}

function verbIn(verb: string): string {
  if ((TASK_VERBS as readonly string[]).includes(verb)) return verb
  throw new BadOption('tasks', TASK_VERBS.join(' or '), verb)
}

function idIn(id: string | undefined): string {
  if (id !== undefined && /^[1-9]\d*$/.test(id)) return id
  throw new BadOption('tasks', 'the number of a task', id ?? '')
}

function lineOf(task: WikiTaskView): string {
  const { id, wiki, kind, state, progress, attempts, error } = task
  const why = error === null ? '' : `  ${error}`
  const { address } = task.arguments
  const name = wiki ?? (typeof address === 'string' ? address : '')
  return `${String(id).padStart(5)}  ${state.padEnd(9)}  ${kind}  ${name}  ${progress.revisions} revisions, ${progress.pagesDone} of ${progress.pages} pages, run ${attempts}${why}`
}
