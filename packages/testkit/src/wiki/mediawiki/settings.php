<?php
/**
 * Added to the settings that MediaWiki's installer writes: what a wiki for tests needs.
 * Nothing is cached and no job runs during a request, so that an answer depends on the store alone.
 */
$wgScriptPath = '/w';
$wgArticlePath = '/wiki/$1';
$wgUsePathInfo = true;
$wgDBname = 'wiki';

// Tests kill programs, never the machine: nothing needs to be synced to a disk.
$wgDBservers = [ [
	'type' => 'sqlite',
	'dbname' => $wgDBname,
	'dbDirectory' => $wgSQLiteDataDir,
	'host' => 'localhost',
	'user' => '',
	'password' => '',
	'load' => 1,
	'trxMode' => 'IMMEDIATE',
	'flags' => DBO_DEFAULT,
	'variables' => [ 'synchronous' => 'OFF' ],
] ];

$wgMainCacheType = CACHE_NONE;
$wgUseDatabaseMessages = false;
$wgMessageCacheType = CACHE_NONE;
$wgParserCacheType = CACHE_NONE;
$wgSessionCacheType = CACHE_DB;
$wgRevisionCacheExpiry = 0;
$wgCacheDirectory = __DIR__ . '/cache';
$wgLocalisationCacheConf['store'] = 'array';
$wgJobRunRate = 0;
$wgJobTypeConf['default'] = [ 'class' => 'JobQueueMemory', 'order' => 'fifo' ];
$wgRateLimits = [];
$wgMiserMode = false;
$wgEnableEmail = false;
$wgPingback = false;
$wgUseFileCache = false;
$wgDisableOutputCompression = false;
$wgMaxArticleSize = 65536;
$wgAPIMaxResultSize = 64 * 1024 * 1024;
$wgRightsText = 'Creative Commons Attribution-ShareAlike 4.0';
$wgRightsUrl = 'https://creativecommons.org/licenses/by-sa/4.0/';
$wgAllowUserJs = false;

foreach ( [ 'deleterevision', 'deletelogentry', 'suppressrevision', 'viewsuppressed', 'mergehistory',
	'import', 'importupload', 'undelete', 'noratelimit' ] as $right ) {
	$wgGroupPermissions['sysop'][$right] = true;
}

// A second slot, as extensions have them: the hash of such a revision is made of both.
$wgHooks['MediaWikiServices'][] = static function ( $services ) {
	$services->addServiceManipulator( 'SlotRoleRegistry', static function ( $registry ) {
		if ( !$registry->isDefinedRole( 'aside' ) ) {
			$registry->defineRoleWithModel( 'aside', CONTENT_MODEL_WIKITEXT );
		}
	} );
};
