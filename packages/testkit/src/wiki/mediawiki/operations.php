<?php
/**
 * What people do to a wiki, done by hundreds in one process: reads a JSON array of operations from
 * standard input and prints one result for each. An operation's `at` is the time at which it is
 * done, so that histories with old dates can be made.
 *
 *   php operations.php CODE < operations.json
 */
use MediaWiki\MediaWikiServices;
use MediaWiki\Revision\RevisionRecord;
use MediaWiki\Revision\SlotRecord;
use Wikimedia\Timestamp\ConvertibleTimestamp;

require_once $argv[1] . '/maintenance/Maintenance.php';

class Operations extends Maintenance {
	public function __construct() {
		parent::__construct();
		$this->addArg( 'code', 'folder of MediaWiki', false );
	}

	public function execute() {
		$operations = json_decode( stream_get_contents( STDIN ), true, 512, JSON_THROW_ON_ERROR );
		$results = [];
		foreach ( $operations as $operation ) {
			Title::clearCaches();
			ConvertibleTimestamp::setFakeTime(
				isset( $operation['at'] ) ? wfTimestamp( TS_MW, $operation['at'] ) : false
			);
			try {
				$results[] = $this->perform( $operation );
			} catch ( Throwable $error ) {
				$results[] = [ 'error' => get_class( $error ) . ': ' . $error->getMessage() ];
			}
			DeferredUpdates::doUpdates();
		}
		ConvertibleTimestamp::setFakeTime( false );
		print json_encode( $results, JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR ) . "\n";
	}

	private function perform( array $o ): array {
		switch ( $o['do'] ) {
			case 'edit':
				return $this->edit( $o );
			case 'move':
				return $this->move( $o );
			case 'delete':
				return $this->deletePage( $o );
			case 'undelete':
				return $this->undelete( $o );
			case 'hide':
				return $this->hide( $o );
			case 'merge':
				return $this->merge( $o );
			case 'import':
				return $this->import( $o );
			case 'tag':
				return $this->tag( $o );
			default:
				throw new Exception( "There is no operation {$o['do']}." );
		}
	}

	private function edit( array $o ): array {
		$title = $this->title( $o['title'] );
		$page = $this->services()->getWikiPageFactory()->newFromTitle( $title );
		$updater = $page->newPageUpdater( $this->editor( $o['user'] ?? 'Admin' ) );
		$model = $o['model'] ?? $title->getContentModel();
		$updater->setContent( SlotRecord::MAIN, ContentHandler::makeContent( $o['text'], $title, $model ) );
		foreach ( $o['slots'] ?? [] as $role => $text ) {
			$updater->setContent( $role, ContentHandler::makeContent( $text, $title, CONTENT_MODEL_WIKITEXT ) );
		}
		foreach ( $o['tags'] ?? [] as $tag ) {
			ChangeTags::defineTag( $tag );
			$updater->addTag( $tag );
		}
		$flags = ( $o['minor'] ?? false ? EDIT_MINOR : 0 ) | ( $o['bot'] ?? false ? EDIT_FORCE_BOT : 0 );
		$comment = CommentStoreComment::newUnsavedComment( $o['comment'] ?? '' );
		$revision = $updater->saveRevision( $comment, $flags );
		if ( !$updater->wasSuccessful() ) {
			throw new Exception( $updater->getStatus()->getWikiText( false, false, 'en' ) );
		}
		return $revision === null
			? [ 'unchanged' => true, 'pageid' => $page->getId() ]
			: [ 'revid' => $revision->getId(), 'pageid' => $revision->getPageId() ];
	}

	private function move( array $o ): array {
		$move = $this->services()->getMovePageFactory()
			->newMovePage( $this->title( $o['title'] ), $this->title( $o['to'] ) );
		$this->check( $move->move( $this->editor( $o['user'] ?? 'Admin' ), $o['comment'] ?? '', $o['redirect'] ?? true ) );
		return [ 'pageid' => $this->title( $o['to'] )->getArticleID( Title::READ_LATEST ) ];
	}

	private function deletePage( array $o ): array {
		$page = $this->services()->getWikiPageFactory()->newFromTitle( $this->title( $o['title'] ) );
		$delete = $this->services()->getDeletePageFactory()
			->newDeletePage( $page, $this->editor( $o['user'] ?? 'Admin' ) );
		$pageId = $page->getId();
		$this->check( $delete->forceImmediate( true )->deleteUnsafe( $o['comment'] ?? '' ) );
		return [ 'pageid' => $pageId ];
	}

	private function undelete( array $o ): array {
		$title = $this->title( $o['title'] );
		$undelete = $this->services()->getUndeletePageFactory()
			->newUndeletePage( $title->toPageIdentity(), $this->editor( $o['user'] ?? 'Admin' ) );
		if ( isset( $o['only'] ) ) {
			$times = array_map( static fn ( $at ) => wfTimestamp( TS_MW, $at ), $o['only'] );
			$undelete->setUndeleteOnlyTimestamps( $times );
		}
		$this->check( $undelete->undeleteUnsafe( $o['comment'] ?? '' ) );
		return [ 'pageid' => $title->getArticleID( Title::READ_LATEST ) ];
	}

	private function hide( array $o ): array {
		$bits = [
			'text' => RevisionRecord::DELETED_TEXT,
			'comment' => RevisionRecord::DELETED_COMMENT,
			'user' => RevisionRecord::DELETED_USER,
			'suppress' => RevisionRecord::DELETED_RESTRICTED,
		];
		$value = [];
		foreach ( $bits as $field => $bit ) {
			$value[$bit] = in_array( $field, $o['fields'] ) ? 1 : 0;
		}
		$context = new DerivativeContext( RequestContext::getMain() );
		$context->setUser( $this->editor( $o['user'] ?? 'Admin' ) );
		$title = $this->title( $o['title'] );
		$list = RevisionDeleter::createList( 'revision', $context, $title, $o['revids'] );
		$this->check( $list->setVisibility( [ 'value' => $value, 'comment' => $o['comment'] ?? '', 'perItemStatus' => true ] ) );
		return [ 'revids' => $o['revids'] ];
	}

	private function merge( array $o ): array {
		$until = isset( $o['until'] ) ? wfTimestamp( TS_MW, $o['until'] ) : '';
		$merge = $this->services()->getMergeHistoryFactory()
			->newMergeHistory( $this->title( $o['title'] ), $this->title( $o['to'] ), $until );
		$this->check( $merge->merge( $this->editor( $o['user'] ?? 'Admin' ), $o['comment'] ?? '' ) );
		return [ 'pageid' => $this->title( $o['to'] )->getArticleID( Title::READ_LATEST ) ];
	}

	/** As Special:Import does it, with its log entry and its empty revision. */
	private function import( array $o ): array {
		$source = new ImportStringSource( $o['xml'] );
		$editor = $this->editor( $o['user'] ?? 'Admin' );
		$importer = $this->services()->getWikiImporterFactory()->getWikiImporter( $source, $editor );
		$importer->setUsernamePrefix( $o['prefix'] ?? 'elsewhere', false );
		$context = new DerivativeContext( RequestContext::getMain() );
		$context->setUser( $editor );
		RequestContext::getMain()->setUser( $editor );
		$reporter = new ApiImportReporter( $importer, false, 'elsewhere', $o['comment'] ?? '' );
		$reporter->setContext( $context );
		$reporter->open();
		$importer->doImport();
		$this->check( $reporter->close() );
		return [ 'pages' => $reporter->getData() ];
	}

	private function tag( array $o ): array {
		foreach ( $o['tags'] as $tag ) {
			ChangeTags::defineTag( $tag );
		}
		ChangeTags::addTags( $o['tags'], null, $o['revid'] );
		return [ 'revid' => $o['revid'] ];
	}

	private function services(): MediaWikiServices {
		return MediaWikiServices::getInstance();
	}

	private function title( string $text ): Title {
		$title = Title::newFromText( $text );
		if ( !$title ) {
			throw new Exception( "\"$text\" cannot be a title." );
		}
		return $title;
	}

	/** An address is an anonymous editor; any other unregistered editor is registered now. */
	private function editor( string $name ): User {
		if ( \Wikimedia\IPUtils::isIPAddress( $name ) ) {
			return User::newFromName( $name, false );
		}
		$user = User::newFromName( $name ) ?: User::newFromName( $name, false );
		if ( !$user->isRegistered() ) {
			$user->addToDatabase();
		}
		return $user;
	}

	private function check( StatusValue $status ): void {
		if ( !$status->isGood() ) {
			throw new Exception( Status::wrap( $status )->getWikiText( false, false, 'en' ) );
		}
	}
}

$maintClass = Operations::class;
require_once RUN_MAINTENANCE_IF_MAIN;
