/** `minga share`: who may read a collection, a wiki, a table, a saved question or what a batch of requests brought. */
import { VISIBILITIES, type Sharing, type SharingChange, type Visibility } from '@minga/protocol'
import { Argument, Option, type Command } from 'commander'
import { openApi, remoteApi, type Api } from '../api.ts'
import { append, operatorCommand } from '../options.ts'
import type { Run } from '../run-program.ts'
import { requireArchive } from './archive/folder.ts'
import { withApi, type StationOptions } from './reach-api.ts'

/** What can be shared, and where the API has it. */
const PLACES = {
  collection: 'collections',
  batch: 'batches',
  wiki: 'wikis',
  table: 'tables',
  query: 'saved-queries',
} as const

interface ShareOptions extends StationOptions {
  visibility?: Visibility
  with?: string[]
  withNobody?: boolean
}

const EXAMPLES = `
Examples:
  minga share collection 7                                    who reads it now
  minga share collection 7 --visibility private               its owner and operators
  minga share collection 7 --visibility private --with ana    and Ana
  minga share collection 7 --visibility public                everybody, without a log-in
  minga share table books --visibility shared                 all readers
  minga share batch bat_… --with ana                          what its requests brought

--with names all accounts that read it when it is private; those of before who are not named lose it.
`

export function shareCommand(program: Command, run: Run): void {
  operatorCommand(program, 'share')
    .addArgument(new Argument('<kind>', 'what is shared').choices(Object.keys(PLACES)))
    .argument('<id>', 'its number or name')
    .description('show and set who may read a collection, a table or a wiki')
    .addOption(
      new Option('--visibility <who>', 'private, shared with all readers, or public').choices(
        VISIBILITIES,
      ),
    )
    .option('--with <account>', 'an account that reads it also when private (repeatable)', append)
    .addOption(new Option('--with-nobody', 'only its owner can read it').conflicts('with'))
    .addHelpText('after', EXAMPLES)
    .action(run(share))
}

async function share(
  kind: keyof typeof PLACES,
  id: string,
  options: ShareOptions,
): Promise<number> {
  return withApi(reached(options), async (api) => {
    const path = `/${PLACES[kind]}/${encodeURIComponent(id)}/sharing`
    const change = changeOf(options)
    const isRead = Object.keys(change).length === 0
    const sharing = await (isRead ? api.get<Sharing>(path) : api.patch<Sharing>(path, change))
    process.stdout.write(options.json ? `${JSON.stringify(sharing)}\n` : textOf(sharing))
  })
}

function reached({ station, data, key, insecure }: ShareOptions): Promise<Api> | Api {
  return station === undefined
    ? openApi(requireArchive(data))
    : remoteApi({ station, key, insecure })
}

function changeOf({ visibility, with: names, withNobody }: ShareOptions): SharingChange {
  const sharedWith = withNobody ? [] : names
  return {
    ...(visibility === undefined ? {} : { visibility }),
    ...(sharedWith === undefined ? {} : { sharedWith }),
  }
}

const WHO: Record<Visibility, string> = {
  private: 'its owner and operators',
  shared: 'all readers of the station',
  public: 'everybody, without a log-in',
}

function textOf({ visibility, sharedWith }: Sharing): string {
  const also = sharedWith.length === 0 ? '' : `; shared with ${sharedWith.join(', ')}`
  return `${visibility}: read by ${WHO[visibility]}${also}\n`
}
